import * as vscode from "vscode";
import type { CallEvent } from "../../core/call/call.ts";
import { explain } from "../../core/base/errors.ts";
import { formatCallLine, escapeLogText } from "./log-model.ts";

/** The output channel "Tapedeck": one line per call, without headers and bodies. */
export type Log = ReturnType<typeof createLog>;

export function createLog() {
  const channel = vscode.window.createOutputChannel("Tapedeck", { log: true });
  return {
    call(event: CallEvent) {
      const { level, text } = formatCallLine(event);
      channel[level](text);
    },
    info: (message: string) => channel.info(escapeLogText(message)),
    warn: (message: string) => channel.warn(escapeLogText(message)),
    /** Logs a failure and what to do about it. */
    error: (what: string, error: unknown) => channel.error(escapeLogText(`${what}: ${explain(error)}`)),
    show: () => channel.show(true),
    dispose: () => channel.dispose(),
  };
}
