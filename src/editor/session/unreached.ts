import * as vscode from "vscode";
import { addressArguments } from "../window/addressed-model.ts";
import { COMMANDS } from "../window/ids.ts";
import { WORKSPACE_RUN } from "./session-runs.ts";
import type { Session } from "./session.ts";
import { createUnreachedWatch, unreachedText } from "../runs/unreached-model.ts";
import { sayInformation } from "../window/messages.ts";

const SILENT = "unreached.silent";

/**
 * Tests that other extensions start call nobody's attention when none of their calls arrives: the sidebar says so, and
 * once for each folder of a window, as long as no call arrived in it at all, a message.
 */
export function watchUnreached(session: Session, memento: vscode.Memento): vscode.Disposable {
  let isSaid = false;
  const watch = createUnreachedWatch({
    requests: () => session.state.requests,
    lastCallAt: () => session.state.calls.at(-1)?.at,
    unreached(runners) {
      if (session.lifecycle.status.kind !== "ready") return;
      // A terminal's command line is the better name.
      if (session.state.unreached === undefined) session.runs.noteUnreached(runners.join(", "));
      // What arrived before shows that the addresses are right.
      if (isSaid || session.state.requests > 0 || memento.get(SILENT) === true) return;
      isSaid = true;
      void say(runners, session, memento);
    },
  });
  return vscode.Disposable.from(
    session.connection.onDidBeginTests((process) => {
      // Runs of their own have a terminal that tells.
      if (process.run.id === WORKSPACE_RUN) watch.began(process);
    }),
    watch,
  );
}

async function say(
  runners: readonly string[],
  { tag, state }: Session,
  memento: vscode.Memento,
): Promise<void> {
  const [copy, silent] = ["Copy Environment", "Don't Show Again"];
  const chosen = await sayInformation(unreachedText(runners, state.unreachedWhy), copy, silent);
  if (chosen === copy)
    await vscode.commands.executeCommand(COMMANDS.copyEnvironment, ...addressArguments([], tag));
  if (chosen === silent) await memento.update(SILENT, true);
}
