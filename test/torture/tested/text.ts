import type { TestedProtection } from "../torture.ts";

const VISIBLE = "src/core/base/visible.ts";
const MESSAGES = "src/editor/window/messages-model.ts";

/** Untrusted text stays text and is shown as it is. */
export const testedText: readonly TestedProtection[] = [
  {
    what: "what is invisible or turns the reading order is written visibly",
    file: VISIBLE,
    find: "return belongs(hidden, around, hasRightToLeft) ? hidden : escapeOf(hidden);",
    replace: "return belongs(hidden, around, hasRightToLeft) ? hidden : around.before && hidden;",
    tests: ["test/core/base/visible.test.ts"],
  },
  {
    what: "tag characters are shown, except those of a flag",
    file: VISIBLE,
    find: "{3,6}\\u{e007f})",
    replace: "{1,6})",
    tests: ["test/core/base/visible.test.ts"],
    named: "text in tags behind a flag",
  },
  {
    what: "JSON has nothing invisible in it",
    file: VISIBLE,
    find: "JSON.stringify(value, undefined, indent).replace(matchHiddenInJson(),",
    replace: "JSON.stringify(value, undefined, indent).replace(/(?!)/gu,",
    tests: ["test/cli/visible-text.test.ts"],
    named: "an escape in JSON",
  },
  {
    what: "whatever the command line writes is written visibly",
    file: "src/cli/terminal.ts",
    find: "(index % 2 === 1 ? piece : makeVisible(piece))",
    replace: "(index % 2 === 1 ? piece : piece)",
    tests: ["test/cli/visible-text.test.ts"],
    named: "prints untrusted text prints it visibly",
  },
  {
    what: "a failure that test runners print has nothing invisible in it",
    file: "src/core/base/errors.ts",
    find: "new Error(makeVisible(message),",
    replace: "new Error(message,",
    tests: ["test/core/base/visible.test.ts"],
    named: "a failure has nothing invisible",
  },
  {
    what: "titles in a JUnit report are written visibly",
    file: "src/cli/report/junit.ts",
    find: 'return makeVisible(text.replace(IMPOSSIBLE, "\\ufffd"))',
    replace: 'return text.replace(IMPOSSIBLE, "\\ufffd")',
    tests: ["test/cli/visible-text.test.ts"],
    named: "reports of a run",
  },
  {
    what: "a message makes no link of untrusted text",
    file: MESSAGES,
    find: '.replaceAll("](", "] (")',
    replace: "",
    tests: ["test/editor/window/messages-model.test.ts"],
    named: "is never a link",
  },
  {
    what: "a list to pick from makes no icon of untrusted text",
    file: MESSAGES,
    find: '.replace(ICON, "$ (")',
    replace: "",
    tests: ["test/editor/window/messages-model.test.ts"],
    named: "is never an icon",
  },
  {
    what: "the editor shows no message past its own",
    file: "src/editor/call-commands/record-commands.ts",
    find: "void sayInformation(text);",
    replace: "void vscode.window.showInformationMessage(text);",
    tests: ["test/architecture.test.ts"],
    named: "keep it text",
  },
  {
    what: "a workspace's state has no token",
    file: "src/editor/window/remembered-address.ts",
    find: "if (lasts) await memento.update(key, { port, secret });",
    replace: "if (lasts) await memento.update(key, { ...address, secret });",
    tests: ["test/editor/window/remembered-address.test.ts"],
    named: "in secret storage once",
  },
  {
    what: "what other extensions start is left alone by default",
    file: "src/editor/settings/settings-model.ts",
    find: '"tapedeck.environment.extensions", false',
    replace: '"tapedeck.environment.extensions", true',
    tests: ["test/editor/settings/settings-model.test.ts"],
    named: "their defaults",
  },
  {
    what: "a project's file is left alone until its folder is trusted",
    file: "src/storage/local/project-file.ts",
    find: "reload: async () => (isWanted() ?",
    replace: "reload: async () => (isWanted() || dir ?",
    tests: ["test/deck/unasked-project.test.ts"],
  },
];
