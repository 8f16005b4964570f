import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { asProgram } from "./bundling.mjs";

/** Where a command works: clauses of `when`. */
const SESSION = "tapedeck.session";
const ACTIVE = "tapedeck.active";
const TRUSTED = `${SESSION} && isWorkspaceTrusted`;
const RUNS = `${ACTIVE} && tapedeck.status != off`;
const RUNNING = "tapedeck.running";
const ANY_CALL = "tapedeck.hasRecordings || tapedeck.hasMissing";
const CODE = "resourceScheme == file && editorLangId =~ /^(typescript|javascript)(react)?$|^python$/";
const RECORDING = "resourceScheme == tapedeck && resourcePath =~ /^.Tapedeck recordings./";
const RECORDING_FILE =
  "resourcePath =~ /[.]tapedeck.calls.[^/\\\\]+.[0-9a-f]{2}.[0-9a-f]{64}([.][0-9]+)?[.]json$/";
const CALL = `resourceScheme == tapedeck && resourcePath =~ /^.Tapedeck (recordings|missing calls)./ || ${RECORDING_FILE}`;
const FINDING = "resourceScheme == tapedeck && resourcePath =~ /^.Tapedeck (missing|failed) calls./";
/** The palette never offers it: without a row, its title is not clear. */
const ROWS_ONLY = "false";

/**
 * Commands of the extension: id, title, icon, when each is enabled, and when the palette offers it if that is narrower.
 * `tapedeck.status` is the current folder's, so commands on the row of another folder cannot depend on it.
 * @type {readonly (readonly [id: string, title: string, icon: string, enablement: string, palette?: string])[]}
 */
const COMMANDS = [
  ["toggleMode", "Toggle Strict and Record", "record", SESSION],
  ["selectMode", "Select Mode…", "settings", SESSION],
  ["newRun", "Start New Run", "debug-restart-frame", ACTIVE],
  ["copyEnvironment", "Copy Environment", "terminal", ACTIVE],
  ["turnOn", "Turn On in This Workspace", "play-circle", SESSION, `${SESSION} && tapedeck.status == off`],
  ["turnOff", "Turn Off in This Workspace", "circle-slash", ACTIVE, RUNS],
  ["restartServer", "Restart Server", "debug-restart", ACTIVE, RUNS],
  ["showLog", "Show Log", "output", SESSION],
  ["setKey", "Set Provider Key…", "key", ACTIVE],
  ["pullRecordings", "Pull Recordings from Team Cache", "cloud-download", `${ACTIVE} && isWorkspaceTrusted`],
  [
    "pushRecordings",
    "Push Recordings to Team Cache…",
    "cloud-upload",
    `${ACTIVE} && isWorkspaceTrusted`,
    "tapedeck.hasRecordings",
  ],
  ["checkRecordings", "Check Recordings", "checklist", SESSION],
  ["importRecordings", "Import Recordings…", "cloud-download", ACTIVE],
  ["showOverview", "Show Overview", "graph", ACTIVE],
  ["showTimeline", "Show Timeline", "list-tree", ACTIVE],
  ["filterCalls", "Filter Calls…", "filter", SESSION],
  ["clearFilter", "Clear Filter", "clear-all", "tapedeck.filtered"],
  ["groupCalls", "Group Calls By…", "group-by-ref-type", SESSION],
  ["openCall", "Open Recording…", "open-preview", SESSION, ANY_CALL],
  ["openFile", "Open Recording File", "go-to-file", SESSION, RECORDING],
  ["compareRecordings", "Compare…", "diff", SESSION, ANY_CALL],
  ["accept", "Accept New Recordings", "check-all", TRUSTED, "tapedeck.hasCandidates"],
  ["discard", "Discard New Recordings…", "discard", TRUSTED, "tapedeck.hasCandidates"],
  ["delete", "Delete", "trash", TRUSTED, ROWS_ONLY],
  ["deleteUnused", "Delete Unused Recordings…", "trash", "tapedeck.hasRecordings && isWorkspaceTrusted"],
  ["undo", "Undo Delete or Discard", "discard", "tapedeck.canUndo"],
  ["recordCall", "Record Call", "sync", ACTIVE, CALL],
  ["copy", "Copy…", "copy", SESSION, ROWS_ONLY],
  ["goToTest", "Go to Test of Call", "beaker", SESSION, CALL],
  ["acceptNearest", "Answer Missing Call with Nearest Reply", "check", ACTIVE, "tapedeck.hasMissing"],
  ["writeReply", "Write Reply to Missing Call", "edit", ACTIVE, "tapedeck.hasMissing"],
  ["ignoreDifference", "Ignore Differences of Missing Calls…", "filter", ACTIVE, "tapedeck.hasRules"],
  ["fix", "Fix…", "wrench", SESSION, FINDING],
  ["dismiss", "Dismiss", "close", SESSION, FINDING],
  ["recordTest", "Record Test", "record", ACTIVE, CODE],
  ["replayTest", "Replay Test", "play", ACTIVE, CODE],
  ["recordFile", "Record Tests in File", "record", ACTIVE, CODE],
  ["replayFile", "Replay Tests in File", "play", ACTIVE, CODE],
  ["showCalls", "Show Calls of Test", "list-ordered", SESSION, CODE],
  ["readTest", "Show Test as Conversation", "comment-discussion", SESSION, CODE],
  ["goToMissing", "Go to Missing Recording", "warning", "tapedeck.hasMissing"],
  ["recordMissing", "Record Everything Missing", "record", `${ACTIVE} && tapedeck.hasMissing`],
  ["stopRun", "Stop Recording or Replaying", "debug-stop", RUNNING],
];

/** @typedef {readonly [command: string, group: string, when?: string]} Item */

const VIEW = "view == tapedeck.calls";
/** @param {string} pattern @param {string} [also] */
const row = (pattern, also) => [VIEW, `viewItem =~ /${pattern}/`, ...(also ? [also] : [])].join(" && ");
/** Items of rows that are buttons as well. @param {string} command @param {number} at @param {string} group @param {string} when @returns {Item[]} */
const both = (command, at, group, when) => [
  [command, `inline@${at}`, when],
  [command, group, when],
];

const NEW = row("^(recording|group|section) new", "isWorkspaceTrusted");
const TEST_ROW = "^group \\w+ test$";
const FILE_ROW = "^group \\w+ file$";
const READABLE = "^(finding missing|recording (new|recorded|stale)|cached( test)?$)";

/** @type {readonly Item[]} */
const ROWS = [
  ["selectMode", "1_folder@1", row("^folder on$")],
  ["newRun", "1_folder@3", row("^folder on$")],
  ["copyEnvironment", "1_folder@4", row("^folder on$")],
  ...both("turnOn", 5, "1_folder@5", row("^folder off$")),
  ["turnOff", "1_folder@6", row("^folder on$")],
  ["restartServer", "1_folder@7", row("^folder on$")],
  ...both(
    "recordMissing",
    1,
    "2_record@1",
    row("^section findings missing", `${ACTIVE} && tapedeck.hasMissing`),
  ),
  ...both("recordTest", 1, "2_record@1", row("^finding (missing|failure).*test", ACTIVE)),
  [
    "recordCall",
    "inline@1",
    row("^(finding missing(?!.*(test|metagpt))|recording (recorded|stale).*test)", ACTIVE),
  ],
  [
    "recordCall",
    "2_record@2",
    row("^(finding missing(?!.*metagpt)|recording (new|recorded|stale).*test)", `${ACTIVE} && !${RUNNING}`),
  ],
  ["compareRecordings", "inline@2", row("^finding missing.*nearest")],
  ["compareRecordings", "5_more@1", row("^(finding missing.*nearest|recording (new|recorded|stale))")],
  ...both("accept", 1, "4_keep@1", NEW),
  ...both("discard", 2, "4_keep@2", NEW),
  ["openFile", "inline@2", row("^(recording (recorded|stale)|cached?( test)?$)")],
  ["openFile", "1_open@2", row("^(recording|cached?( test)?$)")],
  ["delete", "inline@3", row("^(recording (broken|stale)|cached( test)?$)", "isWorkspaceTrusted")],
  [
    "delete",
    "4_keep@3",
    row("^(recording (recorded|stale|broken)|group recordings|cached( test)?$)", "isWorkspaceTrusted"),
  ],
  ["openCall", "1_open@1", row(READABLE)],
  ["goToTest", "1_open@3", row("^(finding missing|recording|cached).*(test|script)")],
  ["recordTest", "2_record@1", row(TEST_ROW, ACTIVE)],
  ["replayTest", "2_record@2", row(TEST_ROW, ACTIVE)],
  ["recordFile", "2_record@1", row(FILE_ROW, ACTIVE)],
  ["replayFile", "2_record@2", row(FILE_ROW, ACTIVE)],
  ["ignoreDifference", "2_record@5", row("^section findings missing rules", ACTIVE)],
  ["showTimeline", "2_record@7", row(TEST_ROW)],
  [
    "stopRun",
    "2_record@8",
    row("^(folder on$|finding missing.*test|recording.*test|group \\w+ (test|file)$)", RUNNING),
  ],
  ...both("readTest", 3, "1_open@3", row(TEST_ROW)),
  ["fix", "inline@1", row("^finding failure")],
  ["fix", "1_open@2", row("^finding failure")],
  ["setKey", "2_record@1", row("^section findings failures", ACTIVE)],
  ["dismiss", "inline@2", row("^(finding failure|section findings failures)")],
  ["dismiss", "4_keep@1", row("^(finding|section findings)")],
  ["copy", "5_more@2", row(READABLE)],
];

/** Commands on the test at a place. @param {string} where @param {string} [stop] @returns {Item[]} */
const onTest = (where, stop = where) => [
  ["recordTest", "z_tapedeck@1", where],
  ["replayTest", "z_tapedeck@2", where],
  ["showTimeline", "z_tapedeck@3", where],
  ["showCalls", "z_tapedeck@4", where],
  ["readTest", "z_tapedeck@5", where],
  ["stopRun", "z_tapedeck@6", stop === "" ? RUNNING : `${stop} && ${RUNNING}`],
];
/** @param {string} where @returns {Item[]} */
const onFile = (where) => [
  ["recordFile", "z_tapedeck@1", where],
  ["replayFile", "z_tapedeck@2", where],
];
/** @type {readonly Item[]} */
const ON_ITEM = [...onTest(RUNS, ""), ["goToMissing", "z_tapedeck@7", `${RUNS} && tapedeck.hasMissing`]];
/** @type {readonly Item[]} */
const ON_FAILURE = [
  ["goToMissing", "z_tapedeck@1", `${RUNS} && tapedeck.hasMissing`],
  ["recordTest", "z_tapedeck@2", RUNS],
  ["stopRun", "z_tapedeck@3", RUNNING],
];
const SOURCE = "resourceScheme == file && resourceExtname =~ /^[.]([cm]?[jt]s|[jt]sx|py)$/";
const FOREIGN_RECORDING =
  "(resourceExtname == .har || resourcePath =~ /[\\\\/](vcr_)?cassettes([\\\\/]|$)/ || resourcePath =~ /[\\\\/]__recordings__([\\\\/]|$)/)";

/** Menus by their place. A name that begins with "#" is a submenu. @type {Readonly<Record<string, readonly Item[]>>} */
const MENUS = {
  "view/title": [
    ["stopRun", "navigation@0", `${VIEW} && ${RUNNING}`],
    ["filterCalls", "navigation@1", VIEW],
    ["clearFilter", "navigation@2", `${VIEW} && tapedeck.filtered`],
    ["groupCalls", "navigation@3", VIEW],
    ["showTimeline", "navigation@5", `${VIEW} && tapedeck.hasRecordings`],
    ["compareRecordings", "1_calls@2", `${VIEW} && tapedeck.hasRecordings`],
    ["goToMissing", "1_calls@3", `${VIEW} && tapedeck.hasMissing`],
    ["deleteUnused", "2_keep@2", `${VIEW} && isWorkspaceTrusted`],
    ["undo", "2_keep@3", `${VIEW} && tapedeck.canUndo`],
    ["#session", "9_session@1", VIEW],
  ],
  "view/item/context": [...ROWS, ["#answer", "2_record@4", row("^finding missing", ACTIVE)]],
  "editor/title": [
    ["openFile", "navigation@1", "resourceScheme == tapedeck && resourcePath =~ /^.Tapedeck recordings./"],
    ["openCall", "navigation@1", `${SESSION} && ${RECORDING_FILE}`],
  ],
  "editor/context": [...onTest(`${CODE} && ${RUNS}`, CODE), ...onFile(`${CODE} && ${RUNS}`)],
  "editor/lineNumber/context": onTest(`${CODE} && ${RUNS}`, CODE),
  "testing/item/context": ON_ITEM,
  "testing/item/gutter": ON_ITEM,
  "testing/message/context": ON_FAILURE,
  "testing/item/result": ON_FAILURE,
  "editor/title/context": onFile(`${SOURCE} && ${RUNS}`),
  "explorer/context": [
    ...onFile(`!explorerResourceIsFolder && ${SOURCE} && ${RUNS}`),
    [
      "importRecordings",
      "z_tapedeck@3",
      `resourceScheme == file && ${ACTIVE} && isWorkspaceTrusted && ${FOREIGN_RECORDING}`,
    ],
  ],
  "tapedeck.answer": [
    ["acceptNearest", "1@1", "viewItem =~ /nearest/"],
    ["ignoreDifference", "1@2", "viewItem =~ /^finding missing.*rules/"],
    ["writeReply", "1@3", "viewItem =~ /^finding missing(?!.*metagpt)/"],
  ],
  "tapedeck.session": [
    ["selectMode", "1_run@1"],
    ["newRun", "1_run@2"],
    ["setKey", "2_key@1"],
    ["copyEnvironment", "2_key@2"],
    ["checkRecordings", "3_files@1"],
    ["importRecordings", "3_files@2"],
    ["showOverview", "3_files@3"],
    ["turnOn", "4_server@1", "tapedeck.status == off"],
    ["turnOff", "4_server@1", "tapedeck.status != off"],
    ["restartServer", "4_server@2", "tapedeck.status != off"],
    ["showLog", "4_server@3"],
  ],
};

const SUBMENUS = { answer: "Answer Without Recording", session: "Session" };

/**
 * Tools of coding agents: name, title, reference in prompts, icon, and when each is offered. `src/agent/tools.ts` has their
 * descriptions and inputs, which are for models.
 * @type {readonly (readonly [name: string, title: string, reference: string, icon: string, when: string])[]}
 */
const TOOLS = [
  ["list_misses", "List Missing LLM Calls", "misses", "list-unordered", ACTIVE],
  ["explain_miss", "Explain a Missing LLM Call", "explainMiss", "question", ACTIVE],
  ["search_recordings", "Search Recorded LLM Calls", "recordings", "search", ACTIVE],
  ["read_recording", "Read a Recorded LLM Call", "readRecording", "open-preview", ACTIVE],
  ["compare", "Compare LLM Calls", "compareCalls", "diff", ACTIVE],
  ["run_test", "Run a Test with Recorded LLM Calls", "replayTest", "play", RUNS],
  ["record", "Record the LLM Calls of a Test", "recordTest", "record", RUNS],
  ["write_reply", "Write a Reply to a Missing LLM Call", "writeReply", "edit", ACTIVE],
  ["add_rule", "Ignore Values That Change on Every Run", "addRule", "filter", ACTIVE],
];

/** Key bindings on the selected rows. @param {string} command @param {string} key @param {string} mac @param {object} [also] */
const onRows = (command, key, mac, also) => ({
  command: `tapedeck.${command}`,
  args: { from: "selection", ...also },
  key,
  mac,
  when: `focusedView == tapedeck.calls && listFocus && !inputFocus`,
});

/** The generated parts of the manifest. */
export function contributions() {
  const item = (/** @type {Item} */ [name, group, when]) => ({
    ...(name.startsWith("#") ? { submenu: `tapedeck.${name.slice(1)}` } : { command: `tapedeck.${name}` }),
    group,
    ...(when && { when }),
  });
  return {
    commands: COMMANDS.map(([id, , icon, enablement]) => ({
      command: `tapedeck.${id}`,
      title: `%command.${id}%`,
      category: "Tapedeck",
      icon: `$(${icon})`,
      enablement,
    })),
    menus: {
      commandPalette: COMMANDS.flatMap(([id, , , , when]) =>
        when ? [{ command: `tapedeck.${id}`, when }] : [],
      ),
      ...Object.fromEntries(Object.entries(MENUS).map(([place, items]) => [place, items.map(item)])),
    },
    submenus: Object.keys(SUBMENUS).map((id) => ({ id: `tapedeck.${id}`, label: `%submenu.${id}%` })),
    keybindings: [
      onRows("delete", "delete", "cmd+backspace"),
      onRows("copy", "ctrl+c", "cmd+c", { as: "rows" }),
    ],
  };
}

/**
 * The tools of language models.
 * @param {readonly { name: string, description: string, inputSchema: object }[]} tools those of `src/agent/tools.ts`
 */
export function toolContributions(tools) {
  return TOOLS.map(([short, , toolReferenceName, icon, when]) => {
    const name = `tapedeck_${short}`;
    const { description, inputSchema } = tools.find((tool) => tool.name === name) ?? {};
    return {
      name,
      displayName: `%tool.${short}%`,
      modelDescription: description,
      inputSchema,
      canBeReferencedInPrompt: true,
      toolReferenceName,
      icon: `$(${icon})`,
      tags: ["tapedeck", "testing"],
      when,
    };
  });
}

/** English texts of the contributions above, for package.nls.json. The other texts in that file are edited there. */
export function contributionTexts() {
  return Object.fromEntries([
    ...COMMANDS.map(([id, title]) => [`command.${id}`, title]),
    ...Object.entries(SUBMENUS).map(([id, label]) => [`submenu.${id}`, label]),
    ...TOOLS.map(([name, title]) => [`tool.${name}`, title]),
  ]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = join(import.meta.dirname, "..");
  const file = join(root, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  const bundle = join(root, "dist-test", "agent-tools.mjs");
  await build({ ...asProgram, entryPoints: ["src/agent/tools.ts"], outfile: bundle });
  const { TOOLS: tools } = await import(pathToFileURL(bundle).href);
  Object.assign(manifest.contributes, contributions(), {
    languageModelTools: toolContributions(tools),
    mcpServerDefinitionProviders: [{ id: "tapedeck", label: "Tapedeck", when: ACTIVE }],
    chatSkills: [{ path: "./skills/tapedeck/SKILL.md" }],
  });
  writeFileSync(file, JSON.stringify(manifest, undefined, 2));
  const textsFile = join(root, "package.nls.json");
  const texts = Object.entries({ ...JSON.parse(readFileSync(textsFile, "utf8")), ...contributionTexts() });
  const sorted = Object.fromEntries(texts.sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(textsFile, `${JSON.stringify(sorted, undefined, 2)}\n`);
  execFileSync(process.execPath, [join(root, "node_modules/oxfmt/bin/oxfmt"), file], { stdio: "inherit" });
}
