import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { createWrongUsage } from "../../core/base/errors.ts";
import { splitByFolder } from "./split-by-folder-model.ts";
import { showFailure } from "../session/show-failure.ts";
import { readFields } from "../../core/base/lenient.ts";
import type { CallsView } from "../calls-tree/calls-view.ts";
import { listMissingCalls } from "../findings/findings-model.ts";
import type { ViewFolder } from "../calls-tree/calls-model.ts";
import { COMMANDS, type CommandHandler, type CommandId } from "../window/ids.ts";
import type { Log } from "../window/log.ts";
import type { Sessions } from "../session/folder-session.ts";

type FolderPredicate = (one: ViewFolder) => boolean;

const hasMissing: FolderPredicate = ({ session }) => listMissingCalls(session.state.findings).length > 0;
const hasNew: FolderPredicate = ({ session }) => session.state.candidates.size > 0;

function hasRuns(one: ViewFolder | undefined): boolean {
  return one !== undefined && one.session.state.runs.length > 0;
}

/** Commands that run in all matching folders if they have no argument. */
const ALL_FOLDERS: Readonly<Partial<Record<CommandId, FolderPredicate>>> = {
  [COMMANDS.accept]: hasNew,
  [COMMANDS.recordMissing]: hasMissing,
  [COMMANDS.stopRun]: hasRuns,
  [COMMANDS.checkRecordings]: ({ session }) => session.lifecycle.known,
};

/** Commands that prefer a matching folder over the current one if they have no argument. */
const PREFERRED_FOLDER: Readonly<Partial<Record<CommandId, FolderPredicate>>> = {
  [COMMANDS.goToMissing]: hasMissing,
  [COMMANDS.recordCall]: hasMissing,
  [COMMANDS.acceptNearest]: hasMissing,
  [COMMANDS.ignoreDifference]: hasMissing,
  [COMMANDS.writeReply]: hasMissing,
  [COMMANDS.dismiss]: hasMissing,
  [COMMANDS.discard]: hasNew,
};

/**
 * Registers all commands once per window. Each runs in the session of its arguments' folder, or else of the active
 * editor's folder. Failures are shown and logged.
 */
export function registerCommands(
  sessions: Sessions<ViewFolder>,
  log: Log,
  view: CallsView,
): vscode.Disposable {
  const registered = Object.values(COMMANDS).map((id) =>
    vscode.commands.registerCommand(
      id,
      guardHandler(id, async (...args) => dispatch(id, await addSelection(args, view), sessions), log),
    ),
  );
  return vscode.Disposable.from(...registered);
}

/** A key that acts on the selected rows gives `{ from: "selection" }` in place of them. */
async function addSelection(args: readonly unknown[], view: CallsView): Promise<readonly unknown[]> {
  const [first] = args;
  if (readFields(first)["from"] !== "selection") return args;
  const selection = await view.selectionOfKey();
  return [selection[0], selection, first];
}

function guardHandler(id: CommandId, handler: CommandHandler, log: Log): CommandHandler {
  return async (...given) => {
    try {
      return await handler(...given);
    } catch (error) {
      log.error(id, error);
      void showFailure(error);
      return undefined;
    }
  };
}

/** Resolves to the result of the command. For several folders, resolves to whether all results are true. */
async function dispatch(
  id: CommandId,
  args: readonly unknown[],
  sessions: Sessions<ViewFolder>,
): Promise<unknown> {
  const results = await Promise.all(
    chooseFolders(id, args, sessions).map(({ one, args: own }) => one.command(id, ...own)),
  );
  return results.length === 1 ? results[0] : results.every((result) => result === true);
}

interface FolderCommand {
  readonly one: ViewFolder;
  readonly args: readonly unknown[];
}

function chooseFolders(
  id: CommandId,
  args: readonly unknown[],
  sessions: Sessions<ViewFolder>,
): readonly FolderCommand[] {
  const { all } = sessions;
  if (all.length === 0) throw createNoFolderError();
  const parts = splitByFolder(args, (uri) => findTag(uri, sessions));
  // A comparison shows two calls of one folder: that of the clicked row.
  const meant = id === COMMANDS.compareRecordings ? parts.slice(0, 1) : parts;
  const isUnaddressed = meant.every(({ tag }) => tag === undefined) && all.length > 1;
  const everywhere = ALL_FOLDERS[id];
  // The menu of a folder can also stop runs of another folder.
  const hasNothing = id === COMMANDS.stopRun && !meant.some(({ tag }) => hasRuns(sessions.tagged(tag)));
  if ((isUnaddressed || hasNothing) && everywhere)
    return all.filter(everywhere).map((one) => ({ one, args }));
  return meant.map(({ tag, args: own }) => {
    const one = tag === undefined ? chooseFolder(id, sessions) : sessions.tagged(tag);
    if (one === undefined) throw createNoFolderError();
    return { one, args: own };
  });
}

function chooseFolder(id: CommandId, { all, current }: Sessions<ViewFolder>): ViewFolder | undefined {
  const has = PREFERRED_FOLDER[id];
  if (current === undefined || has === undefined || has(current)) return current;
  return all.find(has) ?? current;
}

/** Undefined for an address outside all folders. The command reports it if necessary. */
function findTag(uri: string, sessions: Sessions<ViewFolder>): string | undefined {
  try {
    return sessions.of(vscode.Uri.parse(uri, true))?.session.tag;
  } catch {
    return undefined;
  }
}

function createNoFolderError(): Error {
  return createWrongUsage(
    localize("No folder is open."),
    localize("Open the folder of your project, then try again."),
  );
}
