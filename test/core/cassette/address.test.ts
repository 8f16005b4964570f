import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRecordingAddress, byAddress, readEntry } from "../../../src/core/cassette/address.ts";
import type { Key } from "../../../src/core/call/call.ts";

const hex = "ab".repeat(32);
const key: Key = `sha256:${hex}`;

describe("the path of a recording", () => {
  it("depends on provider, key, and take alone", () => {
    expect(createRecordingAddress("openai", key, 1).entry).toBe(`calls/openai/ab/${hex}.json`);
    expect(createRecordingAddress("openai", key, 12).entry).toBe(`calls/openai/ab/${hex}.12.json`);
  });

  it("can be read back for any provider's name, and never leaves its folder", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: "grapheme" }),
        fc.integer({ min: 1, max: 999 }),
        (provider, take) => {
          const address = createRecordingAddress(provider, key, take);

          expect(readEntry(address.entry)).toEqual(address);
          expect(address.entry).toMatch(/^calls\/[a-z0-9%_-][a-z0-9%._-]*(?<!\.)\/ab\/[a-z0-9.]+$/);
        },
      ),
    );
  });

  it("is a different folder for providers whose names differ in case, and never a name that Windows reserves", () => {
    const folders = ["openai", "OpenAI", "con", "nul.x", "..", "a/b"].map(
      (provider) => createRecordingAddress(provider, key, 1).entry.split("/ab/")[0],
    );

    expect(folders).toEqual([
      "calls/openai",
      "calls/%4fpen%41%49",
      "calls/%63on",
      "calls/%6eul.x",
      "calls/%2e%2e",
      "calls/a%2fb",
    ]);
  });

  it("is not claimed by files of other names", () => {
    const wrong = [
      `calls/openai/ab/${hex}.1.json`,
      `calls/openai/ab/${hex}.02.json`,
      `calls/openai/ab/${hex.toUpperCase()}.json`,
      `calls/openai/cd/${hex}.json`,
      `calls/OpenAI/ab/${hex}.json`,
      `calls/openai/ab/${hex}.json.orig`,
      `calls/openai/ab/x/${hex}.json`,
      `calls/../ab/${hex}.json`,
      `blobs/openai/ab/${hex}.json`,
    ];

    expect(wrong.filter((entry) => !("wrong" in readEntry(entry)))).toEqual([]);
  });

  it("lists takes in their order", () => {
    const takes = [10, 2, 1].map((take) => createRecordingAddress("openai", key, take));

    expect(takes.toSorted(byAddress).map(({ take }) => take)).toEqual([1, 2, 10]);
  });
});
