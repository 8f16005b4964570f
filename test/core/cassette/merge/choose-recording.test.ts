import { assert, constantFrom, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { createRecordingAddress } from "../../../../src/core/cassette/address.ts";
import { encodeRecording } from "../../../../src/core/cassette/codec.ts";
import { chooseRecording, splitConflictSides } from "../../../../src/core/cassette/merge/choose-recording.ts";
import { aReplyOf } from "../../../support/a-recording.ts";

describe("the choice between two branches' recordings", () => {
  const address = createRecordingAddress("openai", aReplyOf("").key, 1);
  const texts = record({
    reply: constantFrom("one", "two"),
    recordedAt: constantFrom("2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"),
    line: constantFrom(1, 2),
  }).map(({ reply, recordedAt, line }) => {
    const test = { file: "a.test.ts", name: ["a"], line };
    return encodeRecording({ ...aReplyOf(reply), recordedAt, test }).text;
  });
  const side = constantFrom("broken", undefined);

  it("is the same whichever branch is merged into the other", () => {
    assert(
      property(texts, texts, texts, (base, left, right) => {
        for (const before of [base, undefined]) {
          const there = chooseRecording({ base: before, ours: left, theirs: right }, address);
          const back = chooseRecording({ base: before, ours: right, theirs: left }, address);
          const kept = "side" in there ? { ours: left, theirs: right }[there.side] : "undecided";
          const keptBack = "side" in back ? { ours: right, theirs: left }[back.side] : "undecided";
          expect(keptBack).toBe(kept);
        }
      }),
    );
  });

  it("is the whole one when the other is broken, deleted or of another call", () => {
    assert(
      property(texts, side, (whole, other) => {
        expect(chooseRecording({ base: whole, ours: whole, theirs: other }, address)).toEqual({
          side: "ours",
        });
        expect(chooseRecording({ base: whole, ours: other, theirs: whole }, address)).toEqual({
          side: "theirs",
        });
      }),
    );
    const elsewhere = createRecordingAddress("openai", `sha256:${"0".repeat(64)}`, 1);
    const text = encodeRecording(aReplyOf("one")).text;
    expect(chooseRecording({ base: text, ours: text, theirs: text }, elsewhere)).toHaveProperty("undecided");
  });
});

describe("marks of conflicts in a file", () => {
  it("have two sides, with or without the base between them; unfinished ones have none", () => {
    const text = "a\n<<<<<<< HEAD\nours\n||||||| base\nbefore\n=======\ntheirs\n>>>>>>> branch\nz\n";
    expect(splitConflictSides(text)).toEqual({ ours: "a\nours\nz\n", theirs: "a\ntheirs\nz\n" });
    expect(splitConflictSides(text.replace("||||||| base\nbefore\n", ""))).toEqual(splitConflictSides(text));
    expect(splitConflictSides(text.replace(">>>>>>> branch\n", ""))).toBeUndefined();
    expect(splitConflictSides("a\n=======\nz\n")).toBeUndefined();
  });
});
