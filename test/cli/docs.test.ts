import { readFileSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { ProjectConfig } from "../../src/core/config/config.ts";
import { readConfig } from "../../src/core/config/read-config.ts";
import { loadPatterns } from "../../src/core/match/rules/patterns.ts";
import { createKeyPair } from "../../src/remote/team-keys.ts";
import { keepRun } from "../../src/storage/runs/kept-runs.ts";
import { commitAll, git, HAS_GIT } from "../support/a-repository.ts";
import { aRun, aRunCall } from "../support/a-run.ts";
import { recorderFile } from "../support/other-recorders.ts";
import { aRecordedProject, callsAsProgram } from "./recordings.ts";
import { aProject, serving, tapedeck } from "./tapedeck.ts";
import { filesBelow } from "../support/files-below.ts";

const root = resolve(import.meta.dirname, "../..");
const pages = [
  "README.md",
  "README.zh-CN.md",
  ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
].filter((name) => name.endsWith(".md"));

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const blocks = pages.flatMap((page) =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^ *```(\w*)\n([^]*?)^ *```$/gm)].map(
    ([, language = "", text = ""]): Block => ({ page, language, text }),
  ),
);
const of = (...languages: readonly string[]): readonly Block[] =>
  blocks.filter(({ language }) => languages.includes(language));

/** The command lines of the shell blocks and of the workflows, without their comments. */
const commands = [
  ...of("sh").flatMap(({ text }) => text.split("\n")),
  ...of("yaml").flatMap(({ text }) =>
    (parse(text) as readonly { readonly run: string }[]).map(({ run }) => run),
  ),
  // What fetches from elsewhere is not tried.
  ...of("yml").flatMap(({ text }) => stepsIn(parse(text)).filter((line) => !line.startsWith("gh "))),
]
  .map((line) =>
    line
      .replace(/\s+#.*$/, "")
      .replace("npx --package llm-tapedeck ", "npx ")
      .trim(),
  )
  .filter((line) => line !== "");

/** Returns the commands of a workflow's jobs, at any depth. */
function stepsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    if (name === "run" || name === "script") return [member].flat().map(String);
    return stepsIn(member);
  });
}

const ours = [...new Set(commands.filter((line) => line.startsWith("npx tapedeck ")))];
const FOR_A_TEAM = / (?:team|--remote-write)\b/;
const TEST = { file: "tests/chat.test.ts", name: ["chat", "answers in one word"] };
/** The lines of a report without the number of replayed calls, keys, and the name of the program. */
function reportLines(report: string): readonly string[] {
  return report
    .trim()
    .replace(/\d+/, "N")
    .replaceAll(/\b[0-9a-f]{8}…/g, "KEY…")
    .replaceAll(/(?:npx tapedeck|node \S+) run --mode/g, "tapedeck run --mode")
    .split("\n");
}

const MORE = {
  "tests/data/rsp_cache.json": '{"asked": "answered"}',
  "tests/cassettes/chat.yaml": recorderFile("python.yaml"),
  "faults.jsonl": '{"status": 429}\n',
};
let kept: Readonly<Record<string, Uint8Array>> | undefined;

/** A project with a recording, which is made once: its folder, and the path of its recording. */
async function aProjectAsDocumented(): Promise<{ readonly cwd: string; readonly entry: string }> {
  if (kept === undefined) {
    const { cwd } = await aRecordedProject([{ text: "Say hi", test: TEST }]);
    kept = Object.fromEntries(filesBelow(cwd).map((file) => [file, readFileSync(join(cwd, file))]));
  }
  const entry = Object.keys(kept).find((file) => file.startsWith(join(".tapedeck", "calls")));
  return { cwd: aProject({ ...kept, ...MORE }), entry: entry ?? "" };
}

const FOR_GIT = / (?:git|diff)\b/;

describe("the documents' examples", () => {
  // Lines for git are tried where it is.
  it.each(ours.filter((line) => !line.includes(" serve") && (HAS_GIT || !FOR_GIT.test(line))))(
    "%s works as documented on a project with recordings",
    async (line) => {
      const { cwd, entry } = await aProjectAsDocumented();
      if (line.includes(" report ")) await keepRun(join(cwd, ".tapedeck"), aRun([aRunCall("Say hi")]));
      if (FOR_GIT.test(line)) {
        git(cwd, "init", "-q");
        commitAll(cwd, "recorded");
      }
      // The key of the example is not that of this recording.
      const key = basename(entry).slice(0, 8);
      // A machine may have no pytest, and npm takes its time; what is tried is our side of the line.
      const argv =
        line
          .replace("3f9a", key)
          .replace(/ (?:pytest|npm test|go test \.\/\.\.\.)$/, " true")
          .match(/"[^"]*"|\S+/g)
          ?.map((word) => word.replaceAll('"', ""))
          .slice(2) ?? [];

      const cache = FOR_A_TEAM.test(line)
        ? { TAPEDECK_REMOTE: cwd, TAPEDECK_REMOTE_KEY: createKeyPair().privateKey }
        : {};
      const { code, stderr, stdout } = await tapedeck(argv, {
        cwd,
        env: { OPENAI_API_KEY: "sk-x", ...cache },
      });

      // --require-calls exists for runs of tests without calls.
      expect({ code, stderr, stdout }).toMatchObject({ code: argv.includes("--require-calls") ? 4 : 0 });
      expect(stderr).not.toContain("Usage:");
    },
  );

  it.each(ours.filter((line) => line.includes(" serve")))(
    "%s answers on the port that it prints",
    async (line) => {
      const { cwd } = await aRecordedProject([{ text: "Say hi" }], { "replies.jsonl": '"Rome."\n' });

      const served = await serving(line.split(" ").slice(3), { cwd });

      expect(served.ready.env["OPENAI_BASE_URL"]).toContain(served.ready.url);
      expect((await served.end()).code).toBe(0);
    },
  );

  it.each(of("").filter(({ text }) => text.includes("✘ tests/chat.test.ts")))(
    "$page shows the report of a run as a run prints it",
    async ({ page, text }) => {
      const language = page.includes("zh-CN") ? "zh-cn" : "en";
      const call = { text: "Say hi in one word", temperature: 0.2, test: { ...TEST, line: 12 } };
      const again = { "ask.mjs": callsAsProgram([{ ...call, temperature: 0.7 }]) };
      const { cwd } = await aRecordedProject([call], again);

      const run = ["run", "--lang", language, "--", process.execPath, "ask.mjs"];
      const { stderr } = await tapedeck(run, { cwd });

      expect(reportLines(stderr)).toEqual(reportLines(text));
    },
  );

  it("name only npm scripts that there are", () => {
    const { name, scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly name: string;
      readonly scripts: Readonly<Record<string, string>>;
    };
    const named = commands
      .filter((line) => !ours.includes(line))
      .flatMap((line) => line.split(" && "))
      .filter((line) => line.startsWith("npm "))
      .filter((line) => line !== "npm ci" && line !== `npm install --save-dev ${name}`);

    expect(named.length).toBeGreaterThan(0);
    expect(
      named.filter(
        (line) => scripts[/^npm (?:run )?([\w-]+)(?: -- .+)?$/.exec(line)?.[1] ?? ""] === undefined,
      ),
    ).toEqual([]);
  });

  it("are JSON if marked as JSON", () => {
    const wrong = of("json").filter(({ text }) => typeof JSON.parse(text) !== "object");

    expect(wrong).toEqual([]);
  });

  it("are a project's settings when they have comments", async () => {
    const checkPattern = await loadPatterns();

    const read = (text: string): ProjectConfig =>
      readConfig(text, { checkPattern, readText: () => '"one"\n' });

    const [nothing, ...examples] = ["{}", ...of("jsonc").map(({ text }) => text)].map(read);

    expect(examples.length).toBeGreaterThan(1);
    for (const example of examples) expect(example).not.toEqual(nothing);
  });

  it("are all of a kind that is tried: what has no language is what a program prints or draws", () => {
    // Examples in Python are run by python/tests, those in Go are part of a program of test/runners.
    const program = readFileSync(join(root, "test", "fixtures", "programs", "ask.go"), "utf8");
    expect(of("go").filter(({ text }) => !program.includes(text))).toEqual([]);
    const tried = new Set(["ts", "sh", "go", "python", "yaml", "yml", "json", "jsonc", "text", ""]);
    const untried = blocks.filter(({ language }) => !tried.has(language));
    const drawn = of("").filter(({ text }) => /^(?:npx|npm|import|const) /m.test(text));

    console.log(
      `▸ examples in ${pages.length} pages: ${ours.length} command lines run, ${of("ts").length} programs run or compiled`,
    );
    expect([...untried, ...drawn]).toEqual([]);
  });
});
