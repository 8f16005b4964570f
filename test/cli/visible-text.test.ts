import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { paint, createWriters } from "../../src/cli/terminal.ts";
import { aRecordedProject, callsAsProgram } from "./recordings.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

/** Reverses the text direction, hides letters between letters, writes in tag characters, clears the screen with one byte. */
const HOSTILE = "pay\u202eknab ruoy\u2066\u200b\u{e0068}\u{e0069}\u009b2J\u00ad";
const HIDDEN =
  /(?![\n\t])[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/u;
const SHOWN = String.raw`pay\u{202e}knab ruoy\u{2066}\u{200b}\u{e0068}\u{e0069}\u{9b}2J\u{ad}`;
const FAMILY = "می\u200cخواهم 👩\u200d👧";

const RECORDED = [
  {
    text: `Say ${HOSTILE}`,
    model: `gpt-${HOSTILE}`,
    test: { file: `tests/${HOSTILE}.test.ts`, name: [`chat ${HOSTILE}`], line: 3 },
  },
  { text: FAMILY, test: { file: "tests/a.test.ts", name: [FAMILY], line: 1 } },
] as const;

describe("invisible and direction-changing text in recordings", () => {
  it("is written visibly for people", async () => {
    const { cwd, dir, entries } = await aRecordedProject(RECORDED);

    const listed = await tapedeck(["list"], { cwd });
    const shown = await tapedeck(["show", entries[0] ?? ""], { cwd });
    const checked = await tapedeck(["check"], { cwd });
    const path = join(dir, entries[0] ?? "");
    const refused = await tapedeck(["show", `calls/${HOSTILE}`], { cwd });
    appendFileSync(path, HOSTILE);
    const broken = await tapedeck(["check"], { cwd });

    const outputs = [listed, shown, checked, refused, broken].map(({ stdout, stderr }) => stdout + stderr);
    expect(outputs.filter((text) => HIDDEN.test(text.replaceAll(FAMILY, "")))).toEqual([]);
    for (const text of outputs.slice(0, 4)) expect(text).toContain(SHOWN);
    expect(listed.stdout).toContain(`"${FAMILY}"`);
  });

  it("is an escape in JSON, which reads as it was recorded", async () => {
    const { cwd, entries } = await aRecordedProject(RECORDED);
    const [entry = ""] = entries;

    const commands = [["list"], ["show", entry], ["check"]];
    const outputs = await Promise.all(commands.map((one) => tapedeck([...one, "--json"], { cwd })));

    expect(outputs.filter(({ stdout }) => HIDDEN.test(stdout))).toEqual([]);
    const [listed, shown] = outputs.map(({ stdout }) => JSON.parse(stdout) as unknown);
    expect(listed).toContainEqual(expect.objectContaining({ entry, test: RECORDED[0].test }));
    expect(JSON.stringify(shown)).toContain(JSON.stringify(RECORDED[0].text));
  });

  it("is written visibly in reports of a run", async () => {
    const made = { file: "a.test.ts", name: [`chat ${HOSTILE}`], line: 3 };
    const program = callsAsProgram([{ text: HOSTILE, model: `gpt-${HOSTILE}`, test: made }]);
    const cwd = aProject({ "ask.mjs": program, "a.test.ts": "" });
    const files = ["junit=a.xml", "json=a.json", "html=a.html", "github"];

    const ran = await tapedeck(
      ["run", ...files.flatMap((one) => ["--report", one]), "--", process.execPath, "ask.mjs"],
      { cwd },
    );

    const [junit = "", json = "", html = ""] = ["a.xml", "a.json", "a.html"].map((name) =>
      readFileSync(join(cwd, name), "utf8"),
    );
    const outputs = [ran.stdout, ran.stderr, junit, json, html];
    expect(outputs.filter((text) => HIDDEN.test(text))).toEqual([]);
    for (const text of [ran.stdout, ran.stderr, junit, html]) expect(text).toContain(`chat ${SHOWN}`);
    expect(JSON.parse(json)).toMatchObject({
      findings: [{ kind: "missing", test: { name: [`chat ${HOSTILE}`] } }],
    });
  });

  it("leaves a run's own command and another tool's file as they are", async () => {
    const { cwd } = await aRecordedProject([{ text: `Say ${HOSTILE}` }]);

    const ran = await tapedeck(
      ["run", "--", process.execPath, "-e", `console.log(${JSON.stringify(HOSTILE)})`],
      { cwd },
    );
    const exported = await tapedeck(["export", "--to", "har"], { cwd });

    expect(ran.stdout).toBe(`${HOSTILE}\n`);
    expect(exported.stdout).toContain(JSON.stringify(JSON.stringify(`Say ${HOSTILE}`)).slice(1, -1));
  });
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
