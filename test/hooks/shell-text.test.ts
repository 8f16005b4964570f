import process from "node:process";
import { describe, expect, it } from "vitest";
import { keepHooksInShell } from "../../src/hooks/javascript/shell-text.cjs";
import { aProject, tapedeck } from "../cli/tapedeck.ts";

const ASK =
  'fetch("https://api.openai.com/v1/chat/completions", { method: "POST", body: "{}" }).then(() => {});';
const ASK_IN_PYTHON = `
import urllib.request
try: urllib.request.urlopen("https://api.openai.com/v1/chat/completions", data=b"{}")
except Exception: pass
`;

describe.skipIf(process.platform === "win32")("a script that sets NODE_OPTIONS or PYTHONPATH", () => {
  it("keeps the hooks, as npm starts it", async () => {
    const cwd = aProject({
      "ask.mjs": ASK,
      "ask.py": ASK_IN_PYTHON,
      "npm.mjs": `import { spawn } from "node:child_process";
for (const script of ["NODE_ENV=test NODE_OPTIONS=--no-warnings node ask.mjs", "true && PYTHONPATH=src python3 ask.py"])
  await new Promise((done) => spawn("sh", ["-c", script], { stdio: "inherit" }).on("exit", done));`,
    });

    const { stderr } = await tapedeck(["run", "--", process.execPath, "npm.mjs"], { cwd });

    expect(stderr).toContain("2 refused · 0 missing · 0 sent");
  });

  const values = { preload: "--require=/it's/hooks.cjs", folder: "/hooks", delimiter: ":" };
  const textOf = (text: string): string => String(keepHooksInShell(["sh", "-c", text], values)[2]);
  const node = String.raw`'--require=/it'\''s/hooks.cjs '`;

  it.each([
    ["NODE_OPTIONS=--x jest", `NODE_OPTIONS=${node}--x jest`],
    ["NODE_OPTIONS= jest", `NODE_OPTIONS=${node} jest`],
    ['A="x y" NODE_OPTIONS="--x --y" jest', `A="x y" NODE_OPTIONS=${node}"--x --y" jest`],
    ["tsc -p . && export NODE_OPTIONS=--x; jest", `tsc -p . && export NODE_OPTIONS=${node}--x; jest`],
    ["PYTHONPATH=src pytest", "PYTHONPATH='/hooks:'src pytest"],
    ["PYTHONPATH= pytest", "PYTHONPATH='/hooks' pytest"],
  ])("keeps its value behind that of the hooks: %s", (script, changed) => {
    expect(textOf(script)).toBe(changed);
  });

  it.each([
    "jest",
    "echo NODE_OPTIONS=--x",
    'echo "a; NODE_OPTIONS=--x"',
    "A=NODE_OPTIONS=--x jest",
    "MY_NODE_OPTIONS=--x jest",
    "jest # ; NODE_OPTIONS=--x",
    "PYTHONPATH=$NOT_SET pytest",
  ])("stays as it is where a variable is not set plainly: %s", (script) => {
    expect(textOf(script)).toBe(script);
  });
});
