/** Every name that the manifest and the code must agree on. A test holds package.json to this file. */

/** Commands of the whole extension, by what they do. All are contributed; those in `INTERNAL` are hidden from the palette. */
export const COMMANDS = {
  // The session
  toggleMode: "tapedeck.toggleMode",
  selectMode: "tapedeck.selectMode",
  /** Argument: a mode. For links and buttons. */
  setMode: "tapedeck.setMode",
  newRun: "tapedeck.newRun",
  copyEnvironment: "tapedeck.copyEnvironment",
  restartServer: "tapedeck.restartServer",
  turnOn: "tapedeck.turnOn",
  turnOff: "tapedeck.turnOff",
  showLog: "tapedeck.showLog",
  /** Argument: a provider's name; without one it is asked for. */
  setKey: "tapedeck.setKey",
  removeKey: "tapedeck.removeKey",
  setTeamKey: "tapedeck.setTeamKey",
  pullRecordings: "tapedeck.pullRecordings",
  pushRecordings: "tapedeck.pushRecordings",
  checkRecordings: "tapedeck.checkRecordings",
  /** Arguments: files, as the explorer gives them; without any they are asked for. */
  importRecordings: "tapedeck.importRecordings",
  getStarted: "tapedeck.getStarted",
  // Pictures of runs
  showOverview: "tapedeck.showOverview",
  /** Argument: a run's id; without one the newest. */
  showTimeline: "tapedeck.showTimeline",
  showTimelineOfTest: "tapedeck.showTimelineOfTest",
  compareRuns: "tapedeck.compareRuns",
  // The view
  filterCalls: "tapedeck.filterCalls",
  clearFilter: "tapedeck.clearFilter",
  groupCalls: "tapedeck.groupCalls",
  openRecording: "tapedeck.openRecording",
  compareRecordings: "tapedeck.compareRecordings",
  acceptNew: "tapedeck.acceptNew",
  discardNew: "tapedeck.discardNew",
  deleteUnused: "tapedeck.deleteUnused",
  undo: "tapedeck.undo",
  refreshCalls: "tapedeck.refreshCalls",
  // A row of the view, or the document it opens
  openCall: "tapedeck.openCall",
  openFile: "tapedeck.openFile",
  accept: "tapedeck.accept",
  discard: "tapedeck.discard",
  rerecord: "tapedeck.rerecord",
  recordCall: "tapedeck.recordCall",
  recordCallTest: "tapedeck.recordCallTest",
  delete: "tapedeck.delete",
  /** Of all that a group holds, as a person picks them. */
  deleteGroup: "tapedeck.deleteGroup",
  /** What the keys for deleting and copying do on the selected rows, whatever these are. */
  removeRows: "tapedeck.removeRows",
  copyRows: "tapedeck.copyRows",
  copyKey: "tapedeck.copyKey",
  copyCurl: "tapedeck.copyCurl",
  copyReply: "tapedeck.copyReply",
  goToTest: "tapedeck.goToTest",
  compareWithNearest: "tapedeck.compareWithNearest",
  compareWithReplaced: "tapedeck.compareWithReplaced",
  acceptNearest: "tapedeck.acceptNearest",
  fetchFromTeam: "tapedeck.fetchFromTeam",
  writeReply: "tapedeck.writeReply",
  takeMockReply: "tapedeck.takeMockReply",
  ignoreDifference: "tapedeck.ignoreDifference",
  proposeRules: "tapedeck.proposeRules",
  fixNames: "tapedeck.fixNames",
  /** Of findings; they come back where they happen again. */
  dismiss: "tapedeck.dismiss",
  /** All that can be done about a finding, to be picked from. */
  fix: "tapedeck.fix",
  // Mocks
  /** What lenient mode answers with, and what goes wrong on purpose. */
  chooseMock: "tapedeck.chooseMock",
  previewScript: "tapedeck.previewScript",
  /** A test with a fault on purpose; arguments as of `replayItem`, and a fault's name. */
  runWithFault: "tapedeck.runWithFault",
  // The code
  recordTest: "tapedeck.recordTest",
  replayTest: "tapedeck.replayTest",
  recordFile: "tapedeck.recordFile",
  replayFile: "tapedeck.replayFile",
  /** A test of the Test Explorer, or the one at a line. */
  recordItem: "tapedeck.recordItem",
  replayItem: "tapedeck.replayItem",
  /** A test's missing calls, and its recordings in the order of use. */
  showCalls: "tapedeck.showCalls",
  /** All calls of a test as one conversation. Argument: a test, or one of its calls. */
  readTest: "tapedeck.readTest",
  goToMissingOfTest: "tapedeck.goToMissingOfTest",
  recordMissing: "tapedeck.recordMissing",
  stopRun: "tapedeck.stopRun",
  goToMissing: "tapedeck.goToMissing",
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

/** Colours that themes may set. */
export const COLOURS = { muted: "tapedeck.quietForeground" } as const;

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
