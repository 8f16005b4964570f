import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aProject, tapedeck } from "../tapedeck.ts";
import { hasPython, NEEDS_PYTHON } from "../../support/python.ts";

/** Titles that each format would like to read in its own way. */
const TITLE = 'says 100% "bye" & <b>, now::\u0007';
const ASK = `export const ask = (content, temperature = 0.2) =>
  fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", temperature, messages: [{ role: "user", content }] }),
  });
`;
const TESTS = `import { describe, it } from "node:test";
import { ask } from "../lib/ask.mjs";
describe("chat", () => {
  it(${JSON.stringify(TITLE)}, async () => {
    await ask("Say\\nbye");
    await ask("Say\\nbye");
    await ask("Say more");
  });
});
await fetch(process.env.TAPEDECK_URL + "/ollama/api/tags");
`;
const FILE = "tests/a chat.test.mjs";
const FILES = { "lib/ask.mjs": ASK, [FILE]: TESTS };
const RUN_TESTS = ["--", process.execPath, "--test", FILE];
/** As node:test reports to what is no terminal: TAP before Node 23. */
const ONE_TEST = /^(?:#|ℹ) tests 1$/mu;
const nothing = ["--", process.execPath, "-e", "console.log('a child speaks')"];

const REPORTS = ["junit=out/a/tapedeck.xml", "json=out/tapedeck=1.json", "github"];
let reported: { code: number | null; stdout: string; junit: string; json: string } | undefined;

/** The reports of one run of the tests, which is made once. */
async function everyReport() {
  const cwd = aProject(FILES);
  const options = REPORTS.flatMap((one) => ["--report", one]);
  const { code, stdout } = await tapedeck(["run", ...options, ...RUN_TESTS], { cwd });
  const read = (name: string): string => readFileSync(join(cwd, name), "utf8");
  return { code, stdout, junit: read("out/a/tapedeck.xml"), json: read("out/tapedeck=1.json") };
}

describe("--report github", () => {
  it("annotates the line of each missing call, and nothing in a title can end a line or a property", async () => {
    const { code, stdout } = (reported ??= await everyReport());

    const lines = stdout.split("\n").filter((line) => line.startsWith("::"));
    expect(code).toBe(3);
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(
      /^::error file=tests\/a chat\.test\.mjs,line=5,title=Tapedeck%3A chat › says 100%25 "bye" & <b>%2C now%3A%3A[^,:]*::No recording for this gpt-4o-mini call \("Say"\), key [0-9a-f]{8}… 2 times\. /,
    );
    expect(lines[2]).toContain("line=7,");
    expect(lines[0]).toMatch(/^::error file=tests\/a chat\.test\.mjs,.*::No recording for this ollama /);
  });

  it("is relative to the checkout of the workflow", async () => {
    const root = aProject(
      Object.fromEntries(Object.entries(FILES).map(([name, text]) => [`sub/${name}`, text])),
    );

    const { stdout } = await tapedeck(["run", "--report", "github", ...RUN_TESTS], {
      cwd: join(root, "sub"),
      env: { GITHUB_WORKSPACE: root },
    });

    expect(stdout).toContain("::error file=sub/tests/a chat.test.mjs,line=5,");
  });

  it("warns of a run without calls, and makes it an error when calls are required", async () => {
    const cwd = aProject();

    const warned = await tapedeck(["run", "--report", "github", ...nothing], { cwd });
    const required = await tapedeck(["run", "--report", "github", "--require-calls", ...nothing], { cwd });

    expect([warned.code, required.code]).toEqual([0, 4]);
    expect(warned.stdout).toContain("::warning title=Tapedeck%3A No calls::");
    expect(required.stdout).toContain("::error title=Tapedeck%3A No calls::");
  });
});

describe("--report junit", () => {
  const PARSE = `import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.stdin).getroot()[0]
for case in suite.iter("testcase"):
    print(case.get("name"), case.get("file"), case.get("line"), [failure.text for failure in case])
print(suite.get("tests"), suite.get("failures"), [p.get("value") for p in suite.iter("property")])`;

  it.skipIf(!hasPython)(`is XML that a parser reads, a case for each test ${NEEDS_PYTHON}`, async () => {
    const { junit } = (reported ??= await everyReport());

    const parsed = spawnSync("python3", ["-c", PARSE], { input: junit, encoding: "utf8" });
    const lines = parsed.stdout.trimEnd().split("\n");
    expect(parsed.stderr).toBe("");
    expect(lines[1]).toContain(
      `chat › ${TITLE.replace("\u0007", "\ufffd")} tests/a chat.test.mjs 5 ['No recording for this gpt-4o-mini call ("Say")`,
    );
    expect(lines[1]).toContain("Say more");
    expect(lines.at(-1)).toBe("2 2 ['4', '0', '0', '4']");
  });
});

describe("reports", () => {
  it("go to files, as many as wanted, in folders that are made", async () => {
    const { stdout, junit, json } = (reported ??= await everyReport());

    expect(junit).toMatch(/^<\?xml/);
    expect(JSON.parse(json)).toMatchObject({
      event: "report",
      exit: 3,
      counts: { miss: 4 },
    });
    expect(stdout).toContain("::error ");
    expect(stdout).toMatch(ONE_TEST);
  });

  it.each([
    [["--report", "xml"], /no report "xml".*junit, json, github, markdown, html/s],
    [["--report", "junit="], /needs a file/],
    [["--report", "junit", "--report", "markdown"], /Only one report can be written to standard output/],
    [["--report", "junit", "--json"], /Only one report/],
    [["--report", "junit", "--log", "json"], /Only one report/],
    [["--report", "html", "--log", "json"], /Only one report/],
  ])("that cannot be made are wrong usage, before anything runs: %j", async (options, message) => {
    const cwd = aProject();

    const { code, stderr } = await tapedeck(
      ["run", ...options, "--", process.execPath, "-e", "require('fs').writeFileSync('ran', '')"],
      { cwd },
    );

    expect([code, existsSync(join(cwd, "ran"))]).toEqual([2, false]);
    expect(stderr).toMatch(message);
  });

  it("that cannot be written fail the run, say which, and let the others be", async () => {
    const cwd = aProject({ file: "" });

    const { code, stderr, stdout } = await tapedeck(
      ["run", "--report", "junit=file/a.xml", "--report", "json", ...nothing],
      { cwd },
    );

    expect(code).toBe(1);
    expect(stderr).toMatch(/The report .*file\/a\.xml could not be written/);
    expect(stdout).toContain('"event":"report"');
  });
});
