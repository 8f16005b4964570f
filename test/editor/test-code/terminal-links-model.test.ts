import { describe, expect, it } from "vitest";
import type { Key } from "../../../src/core/call/call.ts";
import { missLines } from "../../../src/core/view/miss.ts";
import { callLinks, type KnownCalls } from "../../../src/editor/test-code/terminal-links-model.ts";
import { keyOf } from "../call-events.ts";
import { missed, nearest } from "./a-test-file.ts";

const asked = missed("Say hi", undefined, nearest("temperature 0.2 → 0.7"));
const other = missed("Say goodbye");
const RECORDED = keyOf("recorded");
const digits = (key: Key): string => key.slice("sha256:".length);
const entry = `calls/openai/${digits(RECORDED).slice(0, 2)}/${digits(RECORDED)}.json`;

const known: KnownCalls = {
  missing: [asked, other],
  firstEntry: (fits) => (fits(RECORDED) ? entry : undefined),
};

function linksIn(line: string, calls = known): readonly (readonly [string, object])[] {
  return callLinks(line, calls).map(({ start, length, target }) => [
    line.slice(start, start + length),
    target,
  ]);
}

describe("a line of a terminal", () => {
  it("with the failure of a test leads to the missing call and to the nearest recording", () => {
    const key = asked.miss.key;
    const line = `NotFoundError: 404 No recording for this gpt-4o-mini call ("Say hi"), key ${key}. Nearest is ${entry}; it differs in temperature 0.2 → 0.7.`;

    expect(linksIn(line)).toEqual([
      ['No recording for this gpt-4o-mini call ("Say hi")', { finding: asked.id }],
      [key, { finding: asked.id }],
      [entry, { entry }],
    ]);
  });

  it("that a runner broke leads there too, by either part of a key", () => {
    const hex = digits(asked.miss.key);

    expect(linksIn(`E   key sha256:${hex.slice(0, 20)}`)).toEqual([
      [`sha256:${hex.slice(0, 20)}`, { finding: asked.id }],
    ]);
    expect(linksIn(`E   ${hex.slice(20)}. Nearest`)).toEqual([[hex.slice(20), { finding: asked.id }]]);
    expect(linksIn(`    ${digits(RECORDED).slice(2)}.json; it differs`)).toEqual([
      [`${digits(RECORDED).slice(2)}.json`, { entry }],
    ]);
  });

  it("of Tapedeck's own report leads to the call that it speaks of", () => {
    const [what] = missLines(asked.miss, { key: asked.miss.key });
    expect(linksIn(`✘ ${what}`)).toEqual([
      ['No recording for this gpt-4o-mini call ("Say hi")', { finding: asked.id }],
      [`key ${digits(asked.miss.key).slice(0, 8)}…`, { finding: asked.id }],
    ]);
    const named = `nearest ${digits(RECORDED).slice(0, 8)}…`;
    expect(linksIn(`    What differs (${named}): temperature 0.2 → 0.7.`)).toEqual([[named, { entry }]]);
    expect(linksIn(`key ${digits(asked.miss.key).slice(0, 8)}…`)[0]?.[1]).toEqual({ finding: asked.id });
  });

  it("that names the call by its words leads to it, where the key is on another line", () => {
    expect(linksIn('Error: No recording for this gpt-4o-mini call ("Say goodbye"), key')).toEqual([
      ['No recording for this gpt-4o-mini call ("Say goodbye")', { finding: other.id }],
    ]);
  });

  it.each([
    "commit 3f9a2c41d0e84b5f9a2c41d0e84b5f9a2c41d0e8",
    `sha256:${"0".repeat(64)}`,
    "calls/openai/00/0000000000.json",
    "a key to success, the nearest station",
    "",
  ])("with nothing that is known has no link: %s", (line) => {
    expect(linksIn(line)).toEqual([]);
  });

  it("of any length takes no time", () => {
    const long = `No recording for this ${"a".repeat(19_000)}`;
    expect(linksIn(long)).toEqual([]);
    expect(linksIn(digits(asked.miss.key).repeat(1_000))).toEqual([]);
  });
});
