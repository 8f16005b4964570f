import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { paint, createWriters } from "../../src/cli/terminal.ts";
import { withoutWorkflowCommands } from "../../src/core/base/workflow-commands.ts";
import { aRecordedProject, callsAsProgram } from "./recordings.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

/** Reverses the text direction, hides letters between letters, writes in tag characters, clears the screen with one byte. */
const HOSTILE = "pay\u202eknab ruoy\u2066\u200b\u{e0068}\u{e0069}\u009b2J\u00ad";
const HIDDEN =
  /(?![\n\t])[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/u;
const SHOWN = String.raw`pay\u{202e}knab ruoy\u{2066}\u{200b}\u{e0068}\u{e0069}\u{9b}2J\u{ad}`;
const FAMILY = "می\u200cخواهم 👩\u200d👧";

/** Commands of CI systems. */
const COMMANDS = [
  "##[set-output name=deploy]yes",
  "##vso[task.setvariable variable=deploy]yes",
  "##teamcity[setParameter name='deploy' value='yes']",
  "\n::set-output name=deploy::yes\n--- Deploy\nsection_start:1:deploy",
].join(" ");
const ACTED_UPON = /##(?:vso|teamcity)?\[|^\s*::set-output|^(?:---|\+\+\+) Deploy|^section_start:\d/m;

const callOf = (text: string) => ({
  text: `Say ${text}`,
  model: `gpt-${text.split("\n")[0]}`,
  test: { file: `tests/${text.split("\n")[0]}.test.ts`, name: [`chat ${text}`], line: 3 },
});
const OTHER = { text: FAMILY, test: { file: "tests/a.test.ts", name: [FAMILY], line: 1 } };

describe.each([
  ["invisible and direction-changing text", HOSTILE, HIDDEN, SHOWN],
  ["CI workflow commands", COMMANDS, ACTED_UPON, "# #[set-output name=deploy]yes"],
])("%s in recordings", (_, text, hidden, shown) => {
  const call = callOf(text);

  it("is written visibly for people", async () => {
    const { cwd, dir, entries } = await aRecordedProject([call, OTHER]);
    const [entry = ""] = entries;

    const commands = [["list"], ["show", entry], ["check"], ["show", `calls/${text}`]];
    const outputs = [];
    for (const command of commands) outputs.push(await tapedeck(command, { cwd }));
    appendFileSync(join(dir, entry), text);
    outputs.push(await tapedeck(["check"], { cwd }));

    const texts = outputs.map(({ stdout, stderr }) => stdout + stderr);
    expect(texts.filter((one) => hidden.test(one.replaceAll(FAMILY, "")))).toEqual([]);
    expect(texts.slice(0, 4).filter((one) => !one.includes(shown))).toEqual([]);
    expect(texts[0]).toContain(`"${FAMILY}"`);
  });

  it("is an escape in JSON, which reads as it was recorded", async () => {
    const { cwd, entries } = await aRecordedProject([call, OTHER]);
    const [entry = ""] = entries;

    const commands = [["list"], ["show", entry], ["check"]];
    const outputs = await Promise.all(commands.map((one) => tapedeck([...one, "--json"], { cwd })));

    expect(outputs.filter(({ stdout }) => hidden.test(stdout))).toEqual([]);
    const [listed, oneShown] = outputs.map(({ stdout }) => JSON.parse(stdout) as unknown);
    expect(listed).toContainEqual(expect.objectContaining({ entry, test: call.test }));
    expect(JSON.stringify(oneShown)).toContain(JSON.stringify(call.text));
  });

  it("is written visibly in reports of a run, whose own annotations stay commands", async () => {
    const program = callsAsProgram([{ ...call, test: { ...call.test, file: "a.test.ts" } }]);
    const cwd = aProject({ "ask.mjs": program, "a.test.ts": "" });
    const files = ["junit=a.xml", "json=a.json", "markdown=a.md", "html=a.html"];
    const reports = [...files, "github"].flatMap((one) => ["--report", one]);

    const ran = await tapedeck(["run", ...reports, "--", process.execPath, "ask.mjs"], { cwd });

    const written = files.map((name) => readFileSync(join(cwd, name.replace(/.*=/, "")), "utf8"));
    const outputs = [ran.stdout, ran.stderr, ...written];
    expect(outputs.filter((one) => hidden.test(one))).toEqual([]);
    expect(ran.stdout).toMatch(/^::error file=a\.test\.ts,line=3,/m);
    expect(outputs.filter((one) => one.includes(`chat ${shown}`))).toHaveLength(5);
    expect(JSON.parse(written[1] ?? "")).toMatchObject({
      findings: [{ kind: "missing", test: { name: call.test.name } }],
    });
  });
});

it("leaves a run's own command and another tool's file as they are", async () => {
  const { cwd } = await aRecordedProject([{ text: `Say ${HOSTILE}` }]);

  const says = `console.log(${JSON.stringify(HOSTILE)})`;
  const ran = await tapedeck(["run", "--", process.execPath, "-e", says], { cwd });
  const exported = await tapedeck(["export", "--to", "har"], { cwd });

  expect(ran.stdout).toBe(`${HOSTILE}\n`);
  expect(exported.stdout).toContain(JSON.stringify(JSON.stringify(`Say ${HOSTILE}`)).slice(1, -1));
});

test("a command that prints untrusted text prints it visibly, in Tapedeck's own colors", () => {
  const written: string[] = [];
  const { out, err } = createWriters(
    (text) => void written.push(text),
    (text) => void written.push(text),
  );
  const painted = paint(true, "red", HOSTILE);

  for (const write of [out, err]) write(painted);

  const [red = ""] = painted.split(HOSTILE);
  for (const text of written) {
    expect(text.startsWith(red)).toBe(true);
    expect(text).toContain(SHOWN);
    expect(text).not.toContain(HOSTILE);
  }
  expect(written).toHaveLength(2);
});

it.each([
  ["  ::add-mask::x", "  : :add-mask::x"],
  ["a ##VSO[x]", "a # #VSO[x]"],
  ["+++ Tests", " +++ Tests"],
  ["travis_fold:start:x", "travis_fold : start:x"],
  ["a::b, ## Heading, --- and ---", "a::b, ## Heading, --- and ---"],
])("%j is written as %j", (text, shown) => {
  expect(withoutWorkflowCommands(text)).toBe(shown);
});
