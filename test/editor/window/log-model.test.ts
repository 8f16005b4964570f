import { describe, expect, it } from "vitest";
import { formatCallLine } from "../../../src/editor/window/log-model.ts";
import { aCall, aTest, entryOf } from "../call-events.ts";

describe("a call in the log", () => {
  it("is one line: the outcome, the call, the file, the test", () => {
    const line = formatCallLine(
      aCall("Say hi\nin one word", { ms: 1.25, test: { ...aTest("a"), line: 12 } }),
    );

    expect(line).toEqual({
      level: "info",
      text: `replayed · openai chat.completions · gpt-4o-mini · 1.3 ms · ${entryOf("Say hi\nin one word")} · tests/chat.test.ts:12 chat › a`,
    });
  });

  it("is highlighted with the reason when a call was not answered or not recorded", () => {
    const missed = formatCallLine(aCall("x", { outcome: "miss" }));
    const unkept = formatCallLine(aCall("x", { outcome: "forwarded", reason: "the upstream answered 429" }));

    expect(missed.level).toBe("warn");
    expect(missed.text).toMatch(/^missing · openai/u);
    expect(unkept.level).toBe("warn");
    expect(unkept.text).toContain("the upstream answered 429");
  });

  it("stays one line whatever its parts hold", () => {
    const { text } = formatCallLine(aCall("x", { model: "a\nreplayed · b", reason: "one\r\ntwo" }));

    expect(text).not.toMatch(/[\r\n]/u);
  });
});
