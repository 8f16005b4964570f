import { describe, expect, it } from "vitest";
import { createEditLog } from "../../../src/editor/test-code/edit-log-model.ts";
import { lineEdit } from "../../../src/editor/test-discovery/line-edits-model.ts";

/** A text and its log; an edit replaces the first `before` in it. */
function aText(text: string) {
  const log = createEditLog();
  let now = text;
  return {
    log,
    edit(before: string, after: string) {
      const rangeOffset = now.indexOf(before);
      log.edited([lineEdit(now, { rangeOffset, rangeLength: before.length, text: after })]);
      now = now.replace(before, after);
    },
    lineOf: (word: string) => now.split("\n").findIndex((line) => line.includes(word)) + 1,
  };
}

describe("a line that a runner told", () => {
  it("goes with the text above and below it", () => {
    const text = aText("one\ntwo\nthree\nfour\n");

    text.edit("one", "zero\nhalf\none");
    text.edit("four", "three and a half\nfour");

    expect(text.log.lineNow(3, 10)).toBe(text.lineOf("three"));
    expect(text.log.lineNow(4, 10)).toBe(text.lineOf("four"));
  });

  it("is gone when it is taken away, and stays when only its beginning or end is", () => {
    const text = aText("one\n  two();\nthree\n");

    text.edit("two", "deux");
    text.edit("\nthree", ";\nthree");
    expect(text.log.lineNow(2, 10)).toBe(2);

    text.edit("  deux();;\n", "");
    expect(text.log.lineNow(2, 10)).toBeUndefined();
    expect(text.log.lineNow(3, 10)).toBe(2);
  });

  it("moves down when the line is broken before its text, not when it is behind it", () => {
    const text = aText("one\n  two\n");

    text.edit("  two", "  \n  two");
    expect(text.log.lineNow(2, 10)).toBe(3);

    text.edit("wo", "wo\n");
    expect(text.log.lineNow(2, 10)).toBe(3);
  });

  it("is one of the text on disk: what was typed before the last save does not move it", () => {
    const text = aText("one\ntwo\n");

    text.edit("one", "zero\none");
    text.log.saved(100);
    text.edit("one", "half\none");

    expect(text.log.lineNow(2, 50)).toBe(4);
    expect(text.log.lineNow(2, 150)).toBe(3);
  });

  it("stays when edits are given up", () => {
    const text = aText("one\ntwo\n");
    text.edit("one", "zero\none");
    text.log.saved(100);
    text.edit("one", "half\none");

    text.log.reverted();

    expect(text.log.lineNow(2, 150)).toBe(2);
  });

  it("is where it was in the text on disk, whatever was typed and undone", () => {
    const text = aText("one\ntwo\n");

    text.edit("one\ntwo\n", "");
    text.edit("", "one\ntwo\n");

    expect(text.log.lineNow(2, 10, true)).toBe(2);
    expect(text.log.lineNow(2, 10)).toBeUndefined();
  });

  it("is not known any more after very many edits", () => {
    const log = createEditLog();
    for (let count = 0; count < 5_001; count += 1)
      log.edited([{ line: 1, atStart: true, removed: 0, added: 1 }]);

    expect(log.lineNow(1, 10)).toBeUndefined();
    log.saved(20);
    expect(log.lineNow(1, 30)).toBe(1);
  });
});
