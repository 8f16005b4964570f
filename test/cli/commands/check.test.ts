import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { aRecordedProject } from "../recordings.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

interface CheckFinding {
  readonly rule: string;
  readonly level: string;
  readonly entry: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

async function check(
  cwd: string,
): Promise<{ code: number | null; findings: readonly CheckFinding[]; report: Record<string, unknown> }> {
  const { code, stdout } = await tapedeck(["check", "--json"], { cwd });
  const report = JSON.parse(stdout) as Record<string, unknown> & { findings: readonly CheckFinding[] };
  return { code, findings: report.findings, report };
}

const places = (findings: readonly CheckFinding[]) =>
  findings.map(({ level, rule, entry, line, column }) => `${level} ${rule} ${entry}:${line}:${column}`);

/** Edits a recording as a person would. */
function edit(dir: string, entry: string, change: (text: string) => string): string {
  const text = change(readFileSync(join(dir, entry), "utf8"));
  writeFileSync(join(dir, entry), text);
  return text;
}

function positionOf(text: string, part: string): string {
  const before = text.slice(0, text.indexOf(part)).split("\n");
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

const nest = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

const TEST = { file: "chat.test.ts", name: ["chat", "says hi"] };

describe("check", () => {
  it("finds nothing in what was just recorded", async () => {
    const { cwd } = await aRecordedProject([{ text: "Say hi" }, { text: "Say hi", stream: true }]);

    const { code, stdout, stderr } = await tapedeck(["check"], { cwd });

    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toBe("2 recordings in .tapedeck: 0 errors, 0 warnings\n");
  });

  it("names what does not parse with file, line, column and reason, and goes on", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "Say hi" }, { text: "Say bye" }]);
    const [first = "", second = ""] = entries;
    writeFileSync(join(dir, first), '{\n  "format": oops }');
    edit(dir, second, (text) => text.slice(0, text.length / 2));

    const { code, stdout } = await tapedeck(["check"], { cwd });

    const lines = stdout.trimEnd().split("\n");
    expect([code, lines.length]).toEqual([1, 2]);
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^\\.tapedeck/${first}:2:13: error: \\S.* \\(unreadable\\)$`)),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^\\.tapedeck/${second}:\\d+:\\d+: error: \\S.* \\(unreadable\\)$`)),
    );
  });

  it.each([
    [
      "a duplicate member in the request",
      "request",
      "model",
      '"model": "a", "model": ',
      'The member "model" appears twice.',
    ],
    [
      "a duplicate member in the reply",
      "reply",
      "object",
      '"object": "a", "object": ',
      'The member "object" appears twice.',
    ],
    [
      "100,000 levels in the reply",
      "reply",
      "object",
      `"a": ${nest(1e5)}, "object": `,
      "Its values are nested too deeply.",
    ],
  ])("names %s", async (_, part, member, ...[spelled, message]) => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "Say hi" }]);
    edit(dir, entries[0] ?? "", (text) => {
      const start = text.indexOf(`"${part}": {`);
      return text.slice(0, start) + text.slice(start).replace(`"${member}": `, spelled);
    });

    const { code, findings } = await check(cwd);

    expect([code, findings.map((finding) => [finding.rule, finding.message])]).toEqual([
      1,
      [["unreadable", message]],
    ]);
  });

  it("names a recording whose name and content disagree", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "Say hi" }]);
    const [entry = ""] = entries;
    const other = entry.replace(/\w{4}\.json$/, "0000.json");
    cpSync(join(dir, entry), join(dir, other));

    const { code, findings } = await check(cwd);

    const position = positionOf(readFileSync(join(dir, other), "utf8"), '"sha256:');
    expect(code).toBe(1);
    expect(places(findings)).toEqual([`error unreadable ${other}:${position}`]);
  });

  it("names an edited request, which is no longer that of its key", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "Say hi" }]);
    edit(dir, entries[0] ?? "", (text) => text.replace("Say hi", "Say ho"));

    const { code, findings } = await check(cwd);

    expect(code).toBe(1);
    expect(findings).toMatchObject([
      { rule: "misnamed", entry: entries[0], message: expect.stringMatching(/^It was edited/) },
    ]);
  });

  it("fails on a request that was edited into another recorded one, and does not blame the rules", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "Say hi" }, { text: "Say ho" }]);
    const [edited = "", other = ""] = entries;
    edit(dir, edited, (text) => text.replace("Say hi", "Say ho"));

    const { code, stdout } = await tapedeck(["check"], { cwd });

    expect(code).toBe(1);
    expect(stdout).toBe(
      `.tapedeck/${edited}:1:1: error: It was edited, so its request no longer matches its name. It is now that of ${other}. No call finds it under this name. Undo the edit, or delete the file. (edited)\n`,
    );
  });

  it("names files among the recordings that are none", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "Say hi" }]);
    const backup = `${entries[0]}.orig`;
    cpSync(join(dir, entries[0] ?? ""), join(dir, backup));

    const { code, findings } = await check(cwd);

    expect(code).toBe(1);
    expect(places(findings)).toEqual([`error stray-file ${backup}:1:1`]);
  });

  it("fails on a copy of a recording, and only warns of a take with the same reply", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "Say hi" }]);
    const [entry = ""] = entries;
    const [copy, same] = [2, 3].map((take) => entry.replace(".json", `.${take}.json`));
    cpSync(join(dir, entry), join(dir, copy ?? ""));
    cpSync(join(dir, entry), join(dir, same ?? ""));
    edit(dir, same ?? "", (text) => text.replace(/"recordedAt": "\d{4}/, '"recordedAt": "2031'));

    const { code, findings } = await check(cwd);

    expect(code).toBe(1);
    expect(places(findings)).toEqual([`error same-file ${copy}:1:1`, `warning duplicate ${same}:1:1`]);
  });

  it("warns only of takes that no replay needs", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "Say hi" }]);
    const [entry = ""] = entries;
    const takes = [entry, ...[2, 3, 4, 5].map((take) => entry.replace(".json", `.${take}.json`))];
    for (const [index, take] of takes.slice(1).entries()) {
      cpSync(join(dir, entry), join(dir, take));
      edit(dir, take, (text) => text.replace(/"recordedAt": "\d{4}/, `"recordedAt": "203${index}`));
    }
    edit(dir, takes[1] ?? "", (text) => text.replace("Answer 1", "Answer 2"));
    const polled = await check(cwd);
    edit(dir, takes[4] ?? "", (text) => text.replace("Answer 1", "Answer 2"));
    const changed = await check(cwd);
    rmSync(join(dir, takes[4] ?? ""));
    rmSync(join(dir, takes[2] ?? ""));
    const gap = await check(cwd);

    expect(places(polled.findings)).toEqual([
      `warning duplicate ${takes[3]}:1:1`,
      `warning duplicate ${takes[4]}:1:1`,
    ]);
    expect(changed.findings).toEqual([]);
    expect(gap.findings).toEqual([]);
  });

  it("warns of recordings whose test is gone, unless its title is computed at run time", async () => {
    const calls = [
      { text: "here", test: TEST },
      { text: "renamed", test: { ...TEST, name: ["chat", "says ho"] } },
      { text: "deleted", test: { ...TEST, file: "gone.test.ts" } },
      { text: "table", test: { file: "each.test.ts", name: ["says 1"] } },
      { text: "case", test: { file: "test_a.py", name: ["test_says[gpt-4]"] } },
      { text: "cell", test: { file: "report.ipynb", name: ["cell 2"] } },
      { text: "script", test: { file: "ask.mjs", name: [] } },
      { text: "prompt", test: { file: "<python>", name: [] } },
    ];
    const files = {
      "chat.test.ts": 'it("says hi", () => {});',
      "each.test.ts": 'it.each([1])("says %d", () => {});',
      "test_a.py": "def test_says(model): pass  # of a fixture with parameters",
      "report.ipynb": "{}",
      "ask.mjs": "",
    };
    const { cwd, entries } = await aRecordedProject(calls, files);

    const { code, findings } = await check(cwd);

    expect(code).toBe(0);
    expect(places(findings).toSorted()).toEqual(
      [`warning stale ${entries[1]}:1:1`, `warning stale ${entries[2]}:1:1`].toSorted(),
    );
  });

  it("reports that usage is unknown before the first run", async () => {
    const { cwd, dir } = await aRecordedProject([{ text: "Say hi" }]);
    const elsewhere = aProject();
    cpSync(join(dir, "calls"), join(elsewhere, ".tapedeck", "calls"), { recursive: true });

    const known = await check(cwd);
    const { code, stderr } = await tapedeck(["check"], { cwd: elsewhere });

    expect(known.report["isUsageKnown"]).toBe(true);
    expect(code).toBe(0);
    expect(stderr).toMatch(/Unused recordings are unknown until a run/);
  });

  it("has addresses in SARIF from the checkout of a workflow that works in a folder of it", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "Say hi" }]);
    writeFileSync(join(dir, entries[0] ?? ""), "{");
    const env = { GITHUB_WORKSPACE: dirname(cwd) };

    const { stdout } = await tapedeck(["check", "--sarif"], { cwd, env });

    expect(stdout).toContain(`"uri": "${basename(cwd)}/.tapedeck/${entries[0]}"`);
  });

  it("speaks SARIF 2.1.0", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "Say hi" }]);
    writeFileSync(join(dir, entries[0] ?? ""), '{\n  "format": oops }');

    const { code, stdout } = await tapedeck(["check", "--sarif"], { cwd });

    const log = JSON.parse(stdout) as {
      runs: { tool: { driver: { rules: { id: string }[] } }; results: { ruleIndex: number }[] }[];
    };
    const rules = log.runs[0]?.tool.driver.rules ?? [];
    const [result] = log.runs[0]?.results ?? [];
    expect(code).toBe(1);
    expect(log).toMatchObject({ version: "2.1.0", $schema: expect.stringContaining("sarif-2.1.0") });
    expect(rules.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["unreadable", "secret", "stray-file", "duplicate", "stale", "unused"]),
    );
    expect(rules[result?.ruleIndex ?? -1]?.id).toBe("unreadable");
    expect(result).toMatchObject({
      ruleId: "unreadable",
      level: "error",
      message: { text: expect.stringMatching(/\S/) },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: `.tapedeck/${entries[0]}` },
            region: { startLine: 2, startColumn: 13 },
          },
        },
      ],
    });
  });
});
