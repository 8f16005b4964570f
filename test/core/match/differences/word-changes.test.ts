import { describe, expect, it } from "vitest";
import { quoteChanges, markWords } from "../../../../src/core/match/differences/compare-text.ts";

const long = (end: string): string => `${"The first part is the same in both. ".repeat(4)}${end}`;

describe("the words that changed between two texts", () => {
  it.each([
    ["You are terse.", "You are brief.", '"terse" → "brief"', "You are [-terse-]{+brief+}."],
    ["Say hi", "Say hi in Dutch", '"in Dutch" added', "Say hi{+ in Dutch+}"],
    ["Say hi now", "Say hi", '"now" removed', "Say hi[- now-]"],
    ["a one b two", "a uno b due", '"one" → "uno", "two" → "due"', "a [-one-]{+uno+} b [-two-]{+due+}"],
    ["red lamp here", "blue desk here", '"red lamp" → "blue desk"', "[-red lamp-]{+blue desk+} here"],
    ["今天天气好", "明天天气好", '"今" → "明"', "[-今-]{+明+}天天气好"],
    ["whisper-1", "whisper-2", '"whisper-1" → "whisper-2"', "[-whisper-1-]{+whisper-2+}"],
  ])("%s, %s", (recorded, asked, words, marked) => {
    expect(quoteChanges(recorded, asked)).toBe(words);
    expect(markWords(recorded, asked)).toBe(marked);
  });

  it("stand without the rest of a long text", () => {
    expect(quoteChanges(long("Be terse."), long("Be brief."))).toBe('"terse" → "brief"');
    expect(markWords(long("Be terse."), long("Be brief."))).toMatch(/^….{40}\[-terse-\]\{\+brief\+\}\.$/u);
  });

  it("are counted when there are many, and cut when they are long", () => {
    expect(quoteChanges("a 1 b 2 c 3 d 4 e", "a 5 b 6 c 7 d 8 e")).toBe(
      '"1" → "5", "2" → "6", "3" → "7", 1 more',
    );
    expect(quoteChanges("x", "y".repeat(100))).toBe(`"x" → "${"y".repeat(40)}…"`);
  });
});
