// The first minute of the demo, and the steps of its page that act on the workspace.
const path = require("node:path");
const vscode = require("vscode");

const TEST = "tests/classify.test.ts";
const PROMPT = "src/classify.ts";
/** The last test of the file: its call is not recorded. */
const TITLE = "sends a lost password to account";

exports.activate = async (/** @type {vscode.ExtensionContext} */ context) => {
  const commands = {
    "supportDesk.runTests": runTests,
    "supportDesk.openTest": () => open(TEST, TITLE),
    "supportDesk.changePrompt": () => open(PROMPT, "You sort support tickets"),
    "supportDesk.needKey": needKey,
  };
  for (const [id, run] of Object.entries(commands))
    context.subscriptions.push(vscode.commands.registerCommand(id, run));
  await vscode.commands.executeCommand("tapedeck.calls.focus");
  await vscode.commands.executeCommand("workbench.action.openWalkthrough", `${context.extension.id}#try`);
  await vscode.commands.executeCommand("tapedeck.calls.focus");
};

function runTests() {
  const terminal = vscode.window.createTerminal("Tests");
  terminal.show(true);
  terminal.sendText("npm test");
}

/** Beside the steps, with the place in sight. @param {string} file @param {string} text */
async function open(file, text) {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (!folder) return;
  const document = await vscode.workspace.openTextDocument(path.join(folder.uri.fsPath, file));
  const at = document.positionAt(Math.max(0, document.getText().indexOf(text)));
  const selection = new vscode.Range(at, at);
  await vscode.window.showTextDocument(document, {
    selection,
    viewColumn: vscode.ViewColumn.Two,
    preview: false,
  });
}

const KEY_TEST = `import { expect, it } from "vitest";
import OpenAI from "openai";

it("asks a model that wants a key of your own", async () => {
  const completion = await new OpenAI({ maxRetries: 0 }).chat.completions.create({
    model: "practice-needs-key",
    messages: [{ role: "user", content: "Who pays for this?" }],
  });

  expect(completion.choices[0]?.message.content).toBeTruthy();
});
`;

/** A test whose call the provider refuses, recorded. */
async function needKey() {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (!folder) return;
  const uri = vscode.Uri.joinPath(folder.uri, "tests/needs-key.test.ts");
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(KEY_TEST));
  await open("tests/needs-key.test.ts", "it(");
  await vscode.commands.executeCommand("tapedeck.recordFile", uri);
}
