// Stands in for the test explorers that people install (vitest's, Python's): a test controller of another extension,
// whose tests are run by the real runners, started from the extension host with the environment as it finds it there.
const { spawn } = require("node:child_process");
const path = require("node:path");
const vscode = require("vscode");

exports.activate = async (/** @type {vscode.ExtensionContext} */ context) => {
  const controller = vscode.tests.createTestController("sample", "Sample tests");
  context.subscriptions.push(controller);
  controller.createRunProfile(
    "Run",
    vscode.TestRunProfileKind.Run,
    (request, token) => run(controller, request, token),
    true,
  );
  for (const uri of await vscode.workspace.findFiles("tests/**/{*.test.ts,test_*.py}"))
    controller.items.add(await fileItem(controller, uri));
};

/** @param {vscode.TestController} controller @param {vscode.Uri} uri */
async function fileItem(controller, uri) {
  const file = controller.createTestItem(uri.path, path.basename(uri.path), uri);
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  let suite = file;
  for (const [index, line] of text.split("\n").entries()) {
    const [, isSuite, title] =
      /^\s*(?:(describe|class) ?|it|def )\(?"?(.+?)(?:", |\(self|\()/u.exec(line) ?? [];
    if (title === undefined || !(isSuite || /^\s*(?:it\(|def test)/u.test(line))) continue;
    const parent = isSuite ? file : suite;
    const item = controller.createTestItem(`${parent.id}::${title}`, title, uri);
    item.range = new vscode.Range(index, 0, index, line.length);
    parent.children.add(item);
    if (isSuite) suite = item;
  }
  return file;
}

/** @param {vscode.TestController} controller @param {vscode.TestRunRequest} request @param {vscode.CancellationToken} token */
async function run(controller, request, token) {
  const running = controller.createTestRun(request);
  const wanted = request.include ?? [...controller.items].map(([, item]) => item);
  for (const item of wanted.flatMap(leaves)) {
    running.started(item);
    const { code, output } = await runOne(item, token);
    running.appendOutput(output.replaceAll("\n", "\r\n"), undefined, item);
    if (code === 0) running.passed(item);
    else {
      const lines = output.split("\n").filter((line) => /No recording|Test Files/u.test(line));
      const place = item.uri && item.range && new vscode.Location(item.uri, item.range);
      const messages = lines.map((line) => new vscode.TestMessage(line.trim()));
      for (const message of messages) if (place) message.location = place;
      running.failed(item, messages);
    }
  }
  running.end();
}

/** @param {vscode.TestItem} item @returns {vscode.TestItem[]} */
function leaves(item) {
  return item.children.size === 0 ? [item] : [...item.children].flatMap(([, child]) => leaves(child));
}

/** @param {vscode.TestItem} item @param {vscode.CancellationToken} token @returns {Promise<{ code: number, output: string }>} */
function runOne(item, token) {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const file = item.uri?.fsPath ?? "";
  const title = `${item.parent?.label} ${item.label}`;
  const vitest = [path.join(folder, "node_modules", "vitest", "vitest.mjs"), "run", file, "-t", `^${title}$`];
  const python = ["-m", "unittest", file, "-k", item.label];
  const child = file.endsWith(".py")
    ? spawn("python3", python, { cwd: folder })
    : spawn("node", vitest, { cwd: folder });
  token.onCancellationRequested(() => child.kill());
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code: code ?? 1, output })));
}
