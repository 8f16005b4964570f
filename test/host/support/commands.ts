import * as vscode from "vscode";
import { listMissingCalls, type MissingCall } from "../../../src/editor/findings/findings-model.ts";
import type { Session } from "../../../src/editor/session/session.ts";
import { eventually } from "./eventually.ts";
import { addressOf, askAt } from "./session.ts";

/** Runs one of Tapedeck's commands, or another one given by its full id. */
export function runCommand<T>(id: string, ...args: unknown[]): Thenable<T> {
  return vscode.commands.executeCommand<T>(id.includes(".") ? id : `tapedeck.${id}`, ...args);
}

/**
 * Runs a command and presses Enter in its lists until it took effect; a list closes when another element takes the
 * focus, and is then opened again. `state` describes the situation in a failure.
 */
export async function pickIn(
  id: string,
  args: readonly unknown[],
  { done, state }: { readonly done: () => boolean | Promise<boolean>; readonly state: () => string },
): Promise<void> {
  let open: Thenable<unknown> | undefined;
  await eventually(
    () => `${id} did what it does; ${state()}`,
    async () => {
      if (await done()) return true;
      open ??= runCommand(id, ...args).then(() => (open = undefined));
      await runCommand("workbench.action.acceptSelectedQuickOpenItem");
      return false;
    },
  );
  await open;
}

/** Calls without a recording, newest first. */
export const missingIn = ({ state }: Session): readonly MissingCall[] => listMissingCalls(state.findings);

/** Has a call with these words missed. */
export async function aMissingCall(session: Session, prompt: string): Promise<MissingCall> {
  await askAt(await addressOf(session), prompt);
  return eventually("missed", () => missingIn(session).find(({ miss }) => miss.label.includes(prompt)));
}
