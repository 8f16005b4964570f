import { describe, expect, it } from "vitest";
import {
  describeOpening,
  pickTexts,
  removeMarkup,
  removeMarkupFromLine,
} from "../../../src/editor/window/messages-model.ts";

/** Where VS Code looks for links in messages. Source: VS Code 1.100, base/common/linkedText.ts. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/iu;
/** And for icons in labels. Source: the same, base/common/iconLabels.ts. */
const ICON = /(\\)?\$\(([A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?:~[A-Za-z]+)?)\)/u;

describe("untrusted text in a message", () => {
  it.each([
    "tests/[Restore_the_test](command:workbench.action.files.newUntitledFile)",
    "[a](https://example.com)",
    'gpt [a](file:///etc/passwd "title")',
    "[[a](command:b)](command:c)",
    "[a](COMMAND:b)",
    "a](command:b) [c](command:d)",
  ])("is never a link: %s", (text) => {
    expect(text).toMatch(LINK);
    expect(removeMarkup(text)).not.toMatch(LINK);
    expect(removeMarkupFromLine(`before [x] ${text} after`)).not.toMatch(LINK);
  });

  it.each(["[a]\u200b(command:b)", "[a]\n(command:b)", "[a]\u2028(command:b)", "[a]\r\n(command:b)"])(
    "is no link after invisible characters were removed: %j",
    (text) => {
      expect(removeMarkup(text).replaceAll(/[\r\n\u200b\u2028]+/gu, " ")).not.toMatch(LINK);
      expect(removeMarkupFromLine(text)).not.toMatch(LINK);
    },
  );

  it.each(["$(zap) fast", "a $(sync~spin)", "\\$(debug-alt)", "$($(x))"])("is never an icon: %s", (text) => {
    expect(text).toMatch(ICON);
    expect(removeMarkup(text)).not.toMatch(ICON);
    expect(pickTexts({ label: text, description: text, detail: text })).toEqual({
      label: removeMarkupFromLine(text),
      description: removeMarkupFromLine(text),
      detail: removeMarkupFromLine(text),
    });
  });

  it.each([
    "tests/chat.test.ts:12 › answers [in] one (word)",
    "costs $(1 + 2) or $5",
    "array[0] (first)",
    "naïve 👩\u200d👧 می\u200cخواهم",
  ])("stays unchanged otherwise: %s", (text) => {
    expect(removeMarkup(text)).toBe(text);
  });

  it("shows invisible characters", () => {
    expect(removeMarkup("a\u202eb\u0007")).toBe("a\\u{202e}b␇");
  });

  it("has our icon before it when a line to pick has one", () => {
    expect(pickTexts({ icon: "warning", label: "Say\n $(zap)" })).toEqual({
      label: "$(warning) Say $ (zap)",
    });
  });
});

describe("a link to an external address", () => {
  it.each([
    ["https://example.com/a/cat.png?x=1", "Open https://example.com"],
    ["https://openai.com@evil.example/cat.png", "Open https://evil.example"],
    ["https://[x](command:y).example/", "Open"],
    ["https://exam\u200bple.com", "Open https://example.com"],
    ["https://раураl.com/", "Open https://xn--l-7sba6dbr.com"],
    ["data:image/png;base64,iVBORw0KGgo", "Open"],
  ])("shows its host: %s", (url, said) => {
    expect(describeOpening(url)).toBe(said);
  });
});
