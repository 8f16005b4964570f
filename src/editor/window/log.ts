import * as vscode from "vscode";
import type { CallEvent } from "../../core/call/call.ts";
import { explain } from "../../core/base/errors.ts";
import { callLine, logText } from "./log-model.ts";

/** The output channel "Tapedeck": one line a call, no header, no body. */
export interface Log extends vscode.Disposable {
  call(event: CallEvent): void;
  info(message: string): void;
  warn(message: string): void;
  /** A failure: what happened, and what to do about it. */
  error(what: string, error: unknown): void;
  show(): void;
}

export function createLog(): Log {
  const channel = vscode.window.createOutputChannel("Tapedeck", { log: true });
  return {
    call(event) {
      const { level, text } = callLine(event);
      channel[level](text);
    },
    info: (message) => channel.info(logText(message)),
    warn: (message) => channel.warn(logText(message)),
    error: (what, error) => channel.error(logText(`${what}: ${explain(error)}`)),
    show: () => channel.show(true),
    dispose: () => channel.dispose(),
  };
}
