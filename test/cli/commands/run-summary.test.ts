import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anUpstream } from "../an-upstream.ts";
import { callsAsProgram } from "../recordings.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

/** A title and a prompt that would like to be Markdown of their own. */
const TITLE = "says ``` </details> <img src=x> [link](javascript:alert(1)) | now";
/** A program that names the tests of its calls as the hooks do. It starts faster than a test runner. */
const testWith = (...calls: readonly (readonly [text: string, temperature?: number])[]) =>
  callsAsProgram(
    calls.map(([text, temperature = 0.2]) => {
      return { text, temperature, test: { file: FILE, name: [TITLE], line: 3 } };
    }),
  );
const FILE = "chat.test.mjs";
const RUN = ["--", process.execPath, FILE];

describe("--report markdown", () => {
  it("summarizes counts, misses, and their differences, and untrusted text stays text", async () => {
    const upstream = await anUpstream();
    const cwd = aProject({ [FILE]: testWith(["# Say `hi`"]) });
    const record = ["--mode", "record", ...upstream.options];
    const made = await tapedeck(["run", "--report", "markdown=made.md", ...record, ...RUN], { cwd });
    writeFileSync(join(cwd, FILE), testWith(["# Say `hi`", 0.7]));
    await tapedeck(["run", "--report", "markdown=missed.md", ...RUN], { cwd });

    const first = readFileSync(join(cwd, "made.md"), "utf8");
    const missed = readFileSync(join(cwd, "missed.md"), "utf8");
    expect(made.code).toBe(0);
    expect(first).toMatch(
      /^### Tapedeck: 1 new recording\n\n0 replayed · 1 recorded · 0 missing · 1 sent · 1 call, 12 tokens, about \$[\d.]+\n/u,
    );
    expect(first).toContain("- 1 of ```` chat.test.mjs:3 says ``` </details>");
    expect(missed).toMatch(/^### Tapedeck: 1 call not recorded\n/u);
    // The fence is longer than any in it.
    const [, lines = ""] = /\n````\n([^]*?)\n````\n/u.exec(missed) ?? [];
    expect(lines.split("\n")).toEqual([
      `chat.test.mjs:3 ${TITLE}`,
      expect.stringMatching(/^No recording for this gpt-4o-mini call \("# Say `hi`"\), key /u) as string,
      expect.stringMatching(
        /^Differs from the nearest recording \(.*\): temperature 0\.2 → 0\.7\.$/u,
      ) as string,
    ]);
  });

  it("is all of standard output without a file, and reports that no call arrived", async () => {
    const { stdout } = await tapedeck(["run", "--report", "markdown", "--", "echo", "a child"], {
      cwd: aProject(),
    });

    expect(stdout).toMatch(/^### Tapedeck: no calls\n/u);
    expect(stdout).not.toContain("a child");
  });

  it("names no more than 20 missed calls", async () => {
    const calls = Array.from({ length: 23 }, (_, at) => [`Question number ${at}`] as const);
    const { stdout } = await tapedeck(["run", "--report", "markdown", ...RUN], {
      cwd: aProject({ [FILE]: testWith(...calls) }),
    });

    expect(stdout.match(/No recording for this/gu)).toHaveLength(20);
    expect(stdout).toContain("… and 3 more calls");
  });
});

describe("--report github", () => {
  it("appends the summary to the file that GitHub names", async () => {
    const cwd = aProject({ [FILE]: testWith(["Say hi"]), "summary.md": "# Before\n" });
    const env = { GITHUB_STEP_SUMMARY: join(cwd, "summary.md") };

    const { stdout } = await tapedeck(["run", "--report", "github", ...RUN], { cwd, env });
    const other = await tapedeck(["run", "--report", "json", ...RUN], { cwd, env });

    const summary = readFileSync(join(cwd, "summary.md"), "utf8");
    expect(summary).toMatch(/^# Before\n### Tapedeck: 1 call not recorded\n/u);
    expect(summary.match(/### Tapedeck/gu)).toHaveLength(1);
    expect(stdout).toContain("::error ");
    expect(other.stdout).toContain('"event":"report"');
  });

  it("reports where the summary cannot be written, and still annotates", async () => {
    const cwd = aProject({ [FILE]: testWith(["Say hi"]), file: "" });
    const env = { GITHUB_STEP_SUMMARY: join(cwd, "file", "summary.md") };

    const { stdout, stderr } = await tapedeck(["run", "--report", "github", ...RUN], { cwd, env });

    expect(stdout).toContain("::error ");
    expect(stderr).toMatch(/The report .*summary\.md could not be written/u);
  });
});
