import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { tapedeck } from "../cli/tapedeck.ts";
import { anUpstream } from "../cli/an-upstream.ts";
import { because, missing, python } from "./support/python.ts";
import { aTemporaryProject, packagesOf } from "./support/scene.ts";

const ASK = `
const { appendFileSync } = require("node:fs");
exports.ask = async (name) => {
  const reply = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer x" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Pick a number." }] }),
  });
  const text = (await reply.json()).choices?.[0]?.message.content ?? "missing";
  appendFileSync("answers.txt", name + ": " + text + "\\n");
};
`;

const ROWS = 'it.each([1, 2, 3])("rows", async () => ask("rows"));\n';
const FLAKY = "const failed = globalThis.failed ??= { times: 0 };\n";

const PROJECT: Readonly<Record<string, string>> = {
  "package.json": "{}",
  "ask.cjs": ASK,
  "a.vitest.test.js": `const { ask } = require("./ask.cjs");
${ROWS}
it.concurrent.each([1, 2, 3])("beside each other", async () => ask("concurrent"));
it("repeated", { repeats: 2 }, async () => ask("repeated"));
${FLAKY}it("flaky", { retry: 1 }, async () => { await ask("flaky"); if (failed.times++ === 0) throw new Error("again"); });
`,
  "b.vitest.test.js": `const { ask } = require("./ask.cjs");\n${ROWS}`,
  "a.jest.test.js": `const { ask } = require("./ask.cjs");\n${ROWS}`,
  "a.mocha.js":
    'const { ask } = require("./ask.cjs");\nfor (const _ of [1, 2, 3]) it("rows", () => ask("rows"));\n',
  "a.node.js":
    'const { ask } = require("./ask.cjs"); const { it } = require("node:test");\nfor (const _ of [1, 2, 3]) it("rows", () => ask("rows"));\n',
  "test_rows.py": `import json, os, urllib.request, pytest

@pytest.mark.parametrize("n", [1, 2, 3])
def test_rows(n):
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Pick a number."}]}).encode()
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    request = urllib.request.Request(url, body, {"content-type": "application/json", "authorization": "Bearer x"})
    answer = json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
    open("answers.txt", "a").write("rows: %s\\n" % answer)
`,
};

const VITEST = [process.execPath, "node_modules/vitest/vitest.mjs", "run", "--globals", "--maxWorkers=2"];

interface Case {
  readonly name: string;
  readonly command: readonly string[];
  /** Trials, and how many lines their answers are: a retry writes another. */
  readonly trials: number;
  readonly lines: number;
}

const CASES: readonly Case[] = [
  { name: "vitest", command: [...VITEST, "vitest.test"], trials: 13, lines: 14 },
  {
    name: "jest",
    command: [process.execPath, "node_modules/jest/bin/jest.js", "a.jest.test.js"],
    trials: 3,
    lines: 3,
  },
  {
    name: "mocha",
    command: [process.execPath, "node_modules/mocha/bin/mocha.js", "a.mocha.js"],
    trials: 3,
    lines: 3,
  },
  { name: "node:test", command: [process.execPath, "--test", "a.node.js"], trials: 3, lines: 3 },
  { name: "pytest", command: [python, "-m", "pytest", "-q", "test_rows.py"], trials: 3, lines: 3 },
];

test.skipIf(missing).each(CASES)(
  `a take for each trial of $name is recorded, and replayed for it alone${because}`,
  async ({ command, trials, lines }) => {
    const { options, requests } = await anUpstream();
    const project = aTemporaryProject(
      { ...PROJECT, "tapedeck.jsonc": '{ "repeats": "trials" }' },
      packagesOf("current", ["vitest", "jest", "mocha"]),
    );
    const cwd = project.dir;
    const answersOf = async (...args: readonly string[]): Promise<readonly string[]> => {
      const { code, stderr } = await tapedeck(["run", ...args, "--", ...command], { cwd });
      expect([code, stderr]).toEqual([0, expect.stringContaining("0 missing")]);
      const answers = readFileSync(project.path("answers.txt"), "utf8").trim().split("\n");
      writeFileSync(project.path("answers.txt"), "");
      return answers.sort();
    };

    const recorded = await answersOf("--mode", "record", ...options);
    const sent = requests.length;
    const replayed = await answersOf();

    expect(recorded).toHaveLength(lines);
    expect(new Set(recorded).size).toBe(trials);
    expect([sent, requests.length]).toEqual([trials, trials]);
    expect(replayed).toEqual(recorded);
  },
);

test("without the option, the report notes once that trials share a recording", async () => {
  const { options, requests } = await anUpstream();
  const project = aTemporaryProject(PROJECT, packagesOf("current", ["vitest"]));
  const run = ["--", ...VITEST, "b.vitest.test"];

  const recorded = await tapedeck(["run", "--mode", "record", ...options, ...run], { cwd: project.dir });
  const replayed = await tapedeck(["run", ...run], { cwd: project.dir });

  expect(requests).toHaveLength(1);
  expect(recorded.stderr).toMatch(
    /! 3 trials of b\.vitest\.test\.js\S*\s+rows share one recording\.\n.*"repeats" to "trials" in tapedeck\.jsonc/,
  );
  expect(replayed.stderr).not.toContain("share one recording");
});
