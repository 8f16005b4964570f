import { describe, expect, it } from "vitest";
import { createEditorReader, formatMissLines } from "../../../src/core/view/miss.ts";
import type { Miss, Nearest } from "../../../src/core/call/call.ts";
import { aMiss } from "./views.ts";

const KEY = `sha256:3f9a2c41${"0".repeat(56)}` as const;

function differing(...texts: readonly string[]): Nearest {
  return {
    entry: `calls/openai/7b/7b00aaaa${"0".repeat(56)}.json`,
    key: `sha256:7b00aaaa${"0".repeat(56)}`,
    recordedAt: "2026-11-17T11:00:00.000Z",
    differences: texts.map((text) => ({ at: "", kind: "changed", text })),
  };
}

const AGAIN = 'To record it, choose "Record when made again", then run the code that makes it.';
const inEditor = (parts: Partial<Miss>) => formatMissLines(aMiss(parts), "editor");
const inTerminal = (parts: Partial<Miss>) => formatMissLines(aMiss(parts), { key: KEY });

describe("a miss in three lines", () => {
  it("names the missing call, the differences, and the next step, and shows no hash in the editor", () => {
    expect(inEditor({ label: "Hi", nearest: differing("temperature 0.2 → 0.7") })).toEqual([
      'No recording for this gpt-4o-mini call ("Hi").',
      "Differs from the nearest recording: temperature 0.2 → 0.7.",
      'To record it, choose "Record" above the test.',
    ]);
  });

  it.each([
    [
      { file: "chat.test.ts", name: ["chat", "says hi"], runner: "vitest" },
      'To record it, choose "Record" above the test.',
    ],
    [{ file: "chat.test.ts", name: [], runner: "vitest" }, 'To record it, choose "Record" above the test.'],
    [{ file: "ask.py", name: [] }, AGAIN],
    [{ file: "play.ipynb", name: ["cell 2"] }, AGAIN],
    [{ file: "<python>", name: [] }, AGAIN],
    [undefined, AGAIN],
  ])("names the button that is there for what made the call: %o", (test, repair) => {
    expect(formatMissLines(aMiss({}), createEditorReader(test))[2]).toBe(repair);
  });

  it("names the key and the nearest in a terminal by the digits that `show` accepts", () => {
    expect(inTerminal({ label: "Hi", nearest: differing("temperature 0.2 → 0.7") })).toEqual([
      'No recording for this gpt-4o-mini call ("Hi"), key 3f9a2c41…',
      "Differs from the nearest recording (7b00aaaa…): temperature 0.2 → 0.7.",
      'To record it, choose "Record" above the test in VS Code, or run `npx tapedeck run --mode record -- <your test command>` (again: `--last`).',
    ]);
  });

  it("reports that nothing similar is recorded", () => {
    expect(inEditor({})[1]).toBe("No similar call is recorded.");
  });

  it("shows three differences and counts the others", () => {
    expect(inEditor({ nearest: differing("a", "b", "c", "d", "e") })[1]).toBe(
      "Differs from the nearest recording: a; b; c; and 2 more.",
    );
  });

  it("ends with one period after a quoted sentence", () => {
    expect(inEditor({ nearest: differing('sentence 2 added: "Be brief."') })[1]).toBe(
      'Differs from the nearest recording: sentence 2 added: "Be brief."',
    );
  });

  it("is a whole sentence without a known difference and without a model", () => {
    const { model: _, ...call } = aMiss({ label: "list files", nearest: differing() });

    expect(formatMissLines(call, "editor").slice(0, 2)).toEqual([
      'No recording for this openai chat.completions call ("list files").',
      "Differs from the nearest recording: a detail that cannot be shown.",
    ]);
  });

  it("reports that older recordings of a large folder were not compared", () => {
    expect(inEditor({ uncompared: 5_310 })[1]).toBe(
      "No similar call is recorded. Only the newest recordings were compared; 5,310 older ones were not.",
    );
    expect(inEditor({ nearest: differing("a"), uncompared: 1 })[1]).toBe(
      "Differs from the nearest recording: a. Only the newest recordings were compared; 1 older one was not.",
    );
  });
});
