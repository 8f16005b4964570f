import { expect, test } from "vitest";
import { createLineInput } from "../../../src/editor/test-runs/line-input-model.ts";

/** Types key by key. */
function typed(...keys: readonly string[]): { shown: string; sent: string } {
  const input = createLineInput();
  const all = keys.map((key) => input.take(key));
  return { shown: all.map(({ shown }) => shown).join(""), sent: all.map(({ sent }) => sent).join("") };
}

test("a line is shown while it is typed and given on when it ends", () => {
  expect(typed("y", "e", "s")).toEqual({ shown: "yes", sent: "" });
  expect(typed("y", "e", "s", "\r")).toEqual({ shown: "yes\r\n", sent: "yes\n" });
});

test("backspace takes back a character, also one of two halves, and never what was there before the line", () => {
  expect(typed("n", "😀", "\u007f", "o", "\r")).toEqual({ shown: "n😀\b \bo\r\n", sent: "no\n" });
  expect(typed("\u007f")).toEqual({ shown: "", sent: "" });
});

test("pasted lines are given on as lines", () => {
  expect(typed("a\r\nb\rc")).toEqual({ shown: "a\r\nb\r\nc", sent: "a\nb\n" });
});

test("arrows and other keys that are no text do nothing", () => {
  expect(typed("\u001b[A", "\u0001", "a", "\r").sent).toBe("a\n");
});
