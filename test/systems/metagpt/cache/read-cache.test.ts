import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutEntry, restoreCutEntry } from "../../../../src/systems/metagpt/cache/cut-entry.ts";
import { answerText, readCache } from "../../../../src/systems/metagpt/cache/read-cache.ts";
import { findEntryPlaces, parseCacheText } from "../../../../src/systems/metagpt/cache/cache-text.ts";
import { isJsonFault } from "../../../../src/core/base/json/json-parse.ts";

const aCache = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue(), {
  maxKeys: 6,
  noNullPrototype: true,
});
const anIndent = fc.constantFrom(undefined, 2, 4, "\t");

describe("a cache", () => {
  it("has the same entries at the same places as read at once, whatever it holds", async () => {
    await fc.assert(
      fc.asyncProperty(aCache, anIndent, async (cache, indent) => {
        const text = JSON.stringify(cache, undefined, indent);

        const entries = readCache(text);

        expect(
          entries.map(({ key, offset, length, line, column }) => ({ key, offset, length, line, column })),
        ).toEqual(findEntryPlaces(text));
        expect(entries.map((entry) => JSON.parse(answerText(text, entry)) as unknown)).toEqual(
          Object.entries(cache).map(([, value]) => JSON.parse(JSON.stringify(value)) as unknown),
        );
      }),
    );
  });

  it.each([
    ["nothing", ""],
    ["a list", "[]"],
    ["a key without an answer", '{"a"}'],
    ["a word", '{\n  "a": "b",\n  oops\n}'],
    ["an answer that breaks off", '{"a": {"b": [1, 2}'],
    ["a comma too many", '{"a": 1,}'],
    ["a comment", '{"a": 1 /* one */}'],
    ["a repeated key", '{"a": 1, "b": 2, "a": 3}'],
    ["a repeated name within an answer", '{"a": {"b": 1, "b": 2}}'],
    ["a raw line break in a text", '{"a": "b\nc"}'],
    ["more after the end", "{} {}"],
  ])("%s is reported at the same place as by a reader of the whole file", async (_, text) => {
    const told = faultOf(() => readCache(text));

    expect(isJsonFault(told)).toBe(true);
    expect(told).toEqual(faultOf(() => parseCacheText(text)));
  });
});

describe("an entry that is cut out", () => {
  it("leaves every other byte unchanged, and can be reverted", async () => {
    await fc.assert(
      fc.asyncProperty(aCache, anIndent, fc.nat(), async (cache, indent, which) => {
        const keys = Object.keys(cache);
        fc.pre(keys.length > 0);
        const key = keys[which % keys.length] ?? "";
        const text = JSON.stringify(cache, undefined, indent);

        const done = cutEntry(text, readCache(text), key);
        const left = done?.text ?? "";
        const entries = readCache(left);

        expect(entries.map((entry) => entry.key)).toEqual(keys.filter((one) => one !== key));
        expect(done && restoreCutEntry(left, entries, done.cut)).toBe(text);
      }),
    );
  });

  it("is restored beside the remaining entries when its neighbors were removed, and not when its key exists again", async () => {
    const text = '{\n    "a": 1,\n    "b": 2,\n    "c": 3\n}';
    const { cut } = cutEntry(text, readCache(text), "b") ?? {};
    if (cut === undefined) throw new Error("nothing was cut");
    const put = async (into: string): Promise<string | undefined> =>
      restoreCutEntry(into, readCache(into), cut);

    const withoutBefore = await put('{\n    "x": 0,\n    "c": 3\n}');
    const empty = await put("{}");
    const again = await put('{"b": 5}');

    expect(withoutBefore).toBe('{\n    "x": 0,\n    "c": 3,\n    "b": 2\n}');
    expect(empty).toBe('{\n    "b": 2\n}');
    expect(again).toBeUndefined();
  });
});

function faultOf(reading: () => unknown): unknown {
  try {
    return reading();
  } catch (error) {
    return error;
  }
}
