/** Every name that the manifest and the code must agree on. A test holds package.json to this file. */

/** Commands, by what they do. `scripts/manifest.mjs` has their titles and menus. */
export const COMMANDS = {
  // The session
  toggleMode: "tapedeck.toggleMode",
  /** Argument: a mode; without one it is asked for. */
  selectMode: "tapedeck.selectMode",
  newRun: "tapedeck.newRun",
  copyEnvironment: "tapedeck.copyEnvironment",
  restartServer: "tapedeck.restartServer",
  turnOn: "tapedeck.turnOn",
  turnOff: "tapedeck.turnOff",
  showLog: "tapedeck.showLog",
  /** Argument: a provider's name, or the variable of its key; without one it is asked for. */
  setKey: "tapedeck.setKey",
  /** Arguments: missing calls to look for; without any all recordings are downloaded. */
  pullRecordings: "tapedeck.pullRecordings",
  pushRecordings: "tapedeck.pushRecordings",
  /** Argument: `{ fix: "names" }` renames recordings to fit their keys instead. */
  checkRecordings: "tapedeck.checkRecordings",
  /** Arguments: files, as the explorer gives them; without any they are asked for. */
  importRecordings: "tapedeck.importRecordings",
  // Runs
  showOverview: "tapedeck.showOverview",
  /** Argument: a run's id, or a test; without one the newest run is shown. */
  showTimeline: "tapedeck.showTimeline",
  compareRuns: "tapedeck.compareRuns",
  // The view
  filterCalls: "tapedeck.filterCalls",
  clearFilter: "tapedeck.clearFilter",
  groupCalls: "tapedeck.groupCalls",
  deleteUnused: "tapedeck.deleteUnused",
  undo: "tapedeck.undo",
  // Calls: those of rows, of the open document, or those that a person picks
  openCall: "tapedeck.openCall",
  openFile: "tapedeck.openFile",
  /** Two of them; a missing call with its nearest recording; a new recording with the one it replaces. */
  compareRecordings: "tapedeck.compareRecordings",
  accept: "tapedeck.accept",
  discard: "tapedeck.discard",
  /** Of findings and new recordings as well, which are dismissed and discarded. */
  delete: "tapedeck.delete",
  /** Again, or for the first time. */
  recordCall: "tapedeck.recordCall",
  /** Argument: `{ as }` selects what is copied; without it the person picks. */
  copy: "tapedeck.copy",
  goToTest: "tapedeck.goToTest",
  acceptNearest: "tapedeck.acceptNearest",
  writeReply: "tapedeck.writeReply",
  takeMockReply: "tapedeck.takeMockReply",
  ignoreDifference: "tapedeck.ignoreDifference",
  // Findings
  /** All that can be done about one, to be picked from. */
  fix: "tapedeck.fix",
  /** They come back where they happen again. */
  dismiss: "tapedeck.dismiss",
  // Mocks
  /** What lenient mode answers with, and what goes wrong on purpose. */
  chooseMock: "tapedeck.chooseMock",
  previewScript: "tapedeck.previewScript",
  /** Arguments: as of `replayTest`, and a fault's name. */
  runWithFault: "tapedeck.runWithFault",
  // Tests: those of rows, lenses, and the Test Explorer, or the one at the cursor
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

/** What a command does. Arguments come from anywhere (links, key bindings, menus), so they are looked at first. */
export type CommandHandler = (...given: unknown[]) => unknown;

/** Every command's handler: of one that has none the compiler tells, where a folder's session is put together. */
export type CommandTable = Readonly<Record<CommandId, CommandHandler>>;

/** Names of scripts of lenient mode that complete and check. */
export const SCRIPT_FILES = "**/*tapedeck-script*.{json,jsonl}";

export const VIEWS = { calls: "tapedeck.calls" } as const;

export const VIEW_CONTAINER = "tapedeck";

export const STATUS_ITEM = "tapedeck.status";

/** The language of a recording shown as a document, and of a recording's file. */
export const LANGUAGES = { document: "tapedeck-call" } as const;

/** URI schemes of documents that the extension makes. */
export const SCHEMES = {
  document: "tapedeck",
  earlier: "tapedeck-earlier",
  preview: "tapedeck-preview",
} as const;

/** Keys under which a workspace remembers what its tree shows. */
export const REMEMBERED = { filter: "tapedeck.calls.filter", grouping: "tapedeck.calls.grouping" } as const;

/** Keys for `when` clauses, set by the owner named beside each. */
export const CONTEXTS = {
  /** A session is there: a folder is open (session). */
  session: "tapedeck.session",
  /** The workspace is trusted and the session may run (session). */
  active: "tapedeck.active",
  /** "off", "starting", "ready", "failed" (session). */
  status: "tapedeck.status",
  /** The current mode (session). */
  mode: "tapedeck.mode",
  hasMissing: "tapedeck.hasMissing",
  hasCandidates: "tapedeck.hasCandidates",
  /** There is at least one recording (view). */
  hasRecordings: "tapedeck.hasRecordings",
  /** A test is being recorded or replayed in a run of its own (session). */
  running: "tapedeck.running",
  /** Tests ran, none of their calls reached the server (session). */
  unreached: "tapedeck.unreached",
  /** The view was looked through, and has no rows (view). */
  empty: "tapedeck.empty",
  /** The view shows a part only (view). */
  filtered: "tapedeck.filtered",
  /** Steps of the walkthrough, each true for a moment when it is known to be done (walkthrough). */
  stepOn: "tapedeck.stepOn",
  stepRecorded: "tapedeck.stepRecorded",
  stepReplayed: "tapedeck.stepReplayed",
  stepSeen: "tapedeck.stepSeen",
  /** A deletion can be taken back (view). */
  canUndo: "tapedeck.canUndo",
} as const;

export const WALKTHROUGH = "tapedeck.start";

/** Says which folder's session a command is for, as the last of its arguments. */
interface ForFolder {
  readonly forFolder: string;
}

/**
 * Arguments for a command of one folder's session. `tag` names the folder; undefined where a window has one folder,
 * and the arguments stay as they are. Plain, because they go through links and lenses.
 */
export function addressArguments(args: readonly unknown[], tag: string | undefined): unknown[] {
  return tag === undefined ? [...args] : [...args, { forFolder: tag } satisfies ForFolder];
}

/** As {@link addressArguments}; commands of the editor itself are given their arguments alone. */
export function argumentsFor(command: string, args: readonly unknown[], tag: string | undefined): unknown[] {
  return command.startsWith("tapedeck.") ? addressArguments(args, tag) : [...args];
}

export function isForFolder(value: unknown): value is ForFolder {
  return (
    typeof value === "object" && value !== null && "forFolder" in value && typeof value.forFolder === "string"
  );
}
