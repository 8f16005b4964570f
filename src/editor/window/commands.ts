import * as vscode from "vscode";
import { explain } from "../../core/errors.ts";
import { COMMANDS, type CommandId } from "./ids.ts";
import type { Log } from "./log.ts";
import { sayError } from "./messages.ts";

/** What a command does. Arguments come from anywhere (links, key bindings, menus), so they are looked at first. */
export type CommandHandler = (...given: unknown[]) => unknown;

/** Commands by their ids. */
export type CommandTable = Readonly<Partial<Record<CommandId, CommandHandler>>>;

/** Something that works on its own, and the commands it has. */
export interface CommandFeature extends vscode.Disposable {
  readonly commands: CommandTable;
}

/** Registers commands. A failure is the answer to what a person did: it is shown, with what to do, and logged. */
export function registerCommands(handlers: CommandTable, log: Log): vscode.Disposable {
  const registered = Object.values(COMMANDS).flatMap((id) => {
    const handler = handlers[id];
    return handler ? [vscode.commands.registerCommand(id, guarded(id, handler, log))] : [];
  });
  return vscode.Disposable.from(...registered);
}

function guarded(id: CommandId, handler: CommandHandler, log: Log): CommandHandler {
  return async (...given) => {
    try {
      return await handler(...given);
    } catch (error) {
      log.error(id, error);
      void tell(error);
      return undefined;
    }
  };
}

async function tell(error: unknown): Promise<void> {
  const showLog = "Show Log";
  const chosen = await sayError(explain(error), showLog);
  if (chosen === showLog) await vscode.commands.executeCommand(COMMANDS.showLog);
}
