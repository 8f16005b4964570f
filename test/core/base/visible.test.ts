import { describe, expect, it, test } from "vitest";
import { makeVisible, writeVisibleJson } from "../../../src/core/base/visible.ts";
import { createTapedeckError } from "../../../src/core/base/errors.ts";

describe("untrusted text as people see it", () => {
  it.each([
    ["an override of the reading order", "invoice\u202efdp.exe", "invoice\\u{202e}fdp.exe"],
    ["an embedding and its end", "\u202aa\u202c", "\\u{202a}a\\u{202c}"],
    ["isolates", "\u2066a\u2067b\u2068c\u2069", "\\u{2066}a\\u{2067}b\\u{2068}c\\u{2069}"],
    ["a space without width", "pass\u200bword", "pass\\u{200b}word"],
    ["joiners between Latin letters", "a\u200db\u200cc", "a\\u{200d}b\\u{200c}c"],
    ["marks of direction in Latin text", "a\u200eb\u200fc\u061cd", "a\\u{200e}b\\u{200f}c\\u{61c}d"],
    [
      "a mark at the beginning of a file, a word joiner, a soft hyphen",
      "\ufeffa\u2060b\u00adc",
      "\\u{feff}a\\u{2060}b\\u{ad}c",
    ],
    ["letters that are blank", "a\u3164b\u115f", "a\\u{3164}b\\u{115f}"],
    ["text in tags", "hi\u{e0001}\u{e0068}\u{e0069}", "hi\\u{e0001}\\u{e0068}\\u{e0069}"],
    ["text in tags behind a flag", "\u{1f3f4}\u{e0067}\u{e0020}", "\u{1f3f4}\\u{e0067}\\u{e0020}"],
    ["bytes hidden behind an emoji", "😀\u{e0100}\u{e0101}", "😀\\u{e0100}\\u{e0101}"],
    ["a second style of one emoji", "❤\ufe0f\ufe0f", "❤\ufe0f\\u{fe0f}"],
    ["a chain of joiners in Persian", "می\u200c\u200cخواهم", "می\u200c\\u{200c}خواهم"],
    ["notes between lines", "a\ufff9b\ufffb", "a\\u{fff9}b\\u{fffb}"],
    ["commands of a terminal", "a\u001b[2Jb\u0007c\u007fd\u009be", "a␛[2Jb␇c␡d\\u{9b}e"],
    ["ends of lines of other kinds", "a\r\nb\rc\u2028d\u2029e", "a\nb\nc\nd\ne"],
  ])("shows %s", (_what, hidden, shown) => {
    expect(makeVisible(hidden)).toBe(shown);
    expect(makeVisible(shown)).toBe(shown);
  });

  it.each([
    "plain text\twith a tab\nand a second line",
    "naïve Straße, 中文, ไทย, 한국어",
    "مرحبا بالعالم", // Arabic
    "שלום!\u200f עולם", // Hebrew with a right-to-left mark
    "می\u200cخواهم", // Persian
    "क्\u200dष क्\u200cष", // Hindi
    "ශ්\u200dරී", // Sinhala
    "👩\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈 ❤\ufe0f\u200d🔥 👩🏽\u200d💻 1\ufe0f\u20e3 ☎\ufe0e",
    "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}", // the flag of Scotland
    "葛\u{e0100}", // a form of a character of a name
  ])("leaves what is written so: %s", (text) => {
    expect(makeVisible(text)).toBe(text);
  });

  it("reads a long text without invisible characters at once", () => {
    expect(makeVisible("\u200b".repeat(200_000))).toHaveLength(200_000 * "\\u{200b}".length);
  });
});

describe("JSON that is shown", () => {
  it("has nothing invisible in it and reads as the same value", () => {
    const value = { "na\u202eme": "a\u200bb\u{e0041}\u009b\u007f", list: ["می\u200cخواهم", "\u2028"] };

    const shown = writeVisibleJson(value, 2);

    expect(JSON.parse(shown)).toEqual(value);
    expect(shown).not.toMatch(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u{e0000}-\u{e0fff}]/u);
    expect(shown).toContain(String.raw`"na\u202eme": "a\u200bb\udb40\udc41\u009b\u007f"`);
  });
});

test("a failure has nothing invisible in its message and its hint", () => {
  const { message, hint } = createTapedeckError("tapedeck_usage", "No \u001b[2Jfile\u202e.", {
    hint: "Name \u200bone.",
  });

  expect([message, hint].filter((text) => /[\p{Cc}\u200b\u202e]/u.test(text))).toEqual([]);
  expect(message).toContain("file");
  expect(hint).toContain("one.");
});
