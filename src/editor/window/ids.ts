/** All names that the manifest and the code must agree on. A test compares package.json with this file. */

/** Commands by purpose. `scripts/manifest.mjs` has their titles and menus. */
export const COMMANDS = {
  // The session
  toggleMode: "tapedeck.toggleMode",
  /** Argument: a mode; without it, the person picks. */
  selectMode: "tapedeck.selectMode",
  newRun: "tapedeck.newRun",
  copyEnvironment: "tapedeck.copyEnvironment",
  restartServer: "tapedeck.restartServer",
  turnOn: "tapedeck.turnOn",
  turnOff: "tapedeck.turnOff",
  showLog: "tapedeck.showLog",
  /** Argument: a provider's name, or the variable of its key; without it, the person picks. */
  setKey: "tapedeck.setKey",
  /** Arguments: missing calls to look for; without them, all recordings are downloaded. */
  pullRecordings: "tapedeck.pullRecordings",
  pushRecordings: "tapedeck.pushRecordings",
  checkRecordings: "tapedeck.checkRecordings",
  /** Arguments: files, as the Explorer passes them; without them, the person picks. */
  importRecordings: "tapedeck.importRecordings",
  // Runs
  showOverview: "tapedeck.showOverview",
  /** Arguments: a run's id, or a test, and which times; without them, the newest run is shown. */
  showTimeline: "tapedeck.showTimeline",
  // The view
  filterCalls: "tapedeck.filterCalls",
  clearFilter: "tapedeck.clearFilter",
  groupCalls: "tapedeck.groupCalls",
  deleteUnused: "tapedeck.deleteUnused",
  undo: "tapedeck.undo",
  // Calls of the rows or the open document, or calls that a person picks
  openCall: "tapedeck.openCall",
  openFile: "tapedeck.openFile",
  /** Compares two calls, a missing call with its nearest recording, or a new recording with the one it replaces. */
  compareRecordings: "tapedeck.compareRecordings",
  accept: "tapedeck.accept",
  discard: "tapedeck.discard",
  /** Also dismisses findings and discards new recordings. */
  delete: "tapedeck.delete",
  /** Records a call again, or for the first time. */
  recordCall: "tapedeck.recordCall",
  /** Argument: `{ as }` selects what is copied; without it the person picks. */
  copy: "tapedeck.copy",
  goToTest: "tapedeck.goToTest",
  acceptNearest: "tapedeck.acceptNearest",
  writeReply: "tapedeck.writeReply",
  ignoreDifference: "tapedeck.ignoreDifference",
  // Findings
  /** Lets a person pick an action for a finding. */
  fix: "tapedeck.fix",
  /** Dismissed findings return if they happen again. */
  dismiss: "tapedeck.dismiss",
  // Tests of rows, lenses, and the Test Explorer, or the test at the cursor
  recordTest: "tapedeck.recordTest",
  replayTest: "tapedeck.replayTest",
  recordFile: "tapedeck.recordFile",
  replayFile: "tapedeck.replayFile",
  /** A test's missing calls, and its recordings in the order of use. */
  showCalls: "tapedeck.showCalls",
  /** All calls of a test as one conversation. Argument: a test, or one of its calls. */
  readTest: "tapedeck.readTest",
  /** Argument: missing calls, or a test of the Test Explorer. */
  goToMissing: "tapedeck.goToMissing",
  recordMissing: "tapedeck.recordMissing",
  stopRun: "tapedeck.stopRun",
} as const;

export type CommandId = (typeof COMMANDS)[keyof typeof COMMANDS];

/** Runs a command. Arguments come from links, key bindings, and menus, so handlers check them first. */
export type CommandHandler = (...given: unknown[]) => unknown;

/** The handlers of all commands. If one is missing, the code that assembles a folder's session does not compile. */
export type CommandTable = Readonly<Record<CommandId, CommandHandler>>;

export const VIEWS = { calls: "tapedeck.calls" } as const;

export const VIEW_CONTAINER = "tapedeck";

export const STATUS_ITEM = "tapedeck.status";

/** The languages of documents: of calls, and of runs, whose lines are not wrapped. */
export const LANGUAGES = { call: "tapedeck-call", run: "tapedeck-run" } as const;

/** The URI scheme of documents that the extension makes. */
export const SCHEMES = { document: "tapedeck" } as const;

/** Keys under which a workspace stores the filter and the grouping of its tree. */
export const REMEMBERED = { filter: "tapedeck.calls.filter", grouping: "tapedeck.calls.grouping" } as const;

/** Keys for `when` clauses, set by the owner named beside each. */
export const CONTEXTS = {
  /** A session exists: a folder is open (session). */
  session: "tapedeck.session",
  /** The workspace is trusted and the session may run (session). */
  active: "tapedeck.active",
  /** "off", "starting", "ready", "failed" (session). */
  status: "tapedeck.status",
  /** The current mode (session). */
  mode: "tapedeck.mode",
  hasMissing: "tapedeck.hasMissing",
  /** A rule can make a missing call match its nearest recording (session). */
  hasRules: "tapedeck.hasRules",
  hasCandidates: "tapedeck.hasCandidates",
  /** There is at least one recording (view). */
  hasRecordings: "tapedeck.hasRecordings",
  /** A test is being recorded or replayed in a separate run (session). */
  running: "tapedeck.running",
  /** Tests ran, none of their calls reached the server (session). */
  unreached: "tapedeck.unreached",
  /** The view was read and has no rows (view). */
  empty: "tapedeck.empty",
  /** The view shows only some of the calls (view). */
  filtered: "tapedeck.filtered",
  /** A deletion can be undone (view). */
  canUndo: "tapedeck.canUndo",
} as const;

export const WALKTHROUGH = "tapedeck.start";

/** The last argument of a command: the folder whose session runs it. */
interface ForFolder {
  readonly forFolder: string;
}

/**
 * Returns the arguments for a command of one folder's session. `tag` names the folder; if the window has one folder, it
 * is undefined and the arguments stay unchanged. They are plain JSON because links and lenses carry them.
 */
export function addTagToArguments(args: readonly unknown[], tag: string | undefined): unknown[] {
  return tag === undefined ? [...args] : [...args, { forFolder: tag } satisfies ForFolder];
}

/** As {@link addTagToArguments}, but leaves the arguments of the editor's own commands unchanged. */
export function createArguments(
  command: string,
  args: readonly unknown[],
  tag: string | undefined,
): unknown[] {
  return command.startsWith("tapedeck.") ? addTagToArguments(args, tag) : [...args];
}

export function isForFolder(value: unknown): value is ForFolder {
  return (
    typeof value === "object" && value !== null && "forFolder" in value && typeof value.forFolder === "string"
  );
}
