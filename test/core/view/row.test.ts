import { describe, expect, it } from "vitest";
import { labelCall, formatRow, type RowState } from "../../../src/core/view/row.ts";
import { aView, NOW } from "./views.ts";

const RECORDED = {
  label: '"Say hi in one word"',
  state: "recorded",
  model: "gpt-4o-mini",
  test: { file: "tests/chat.test.ts", name: ["chat", "answers in one word"] },
  usage: { inputTokens: 21, outputTokens: 2 },
  at: Date.UTC(2026, 10, 17, 11),
} as const;

function asked(...texts: string[]) {
  const messages = texts.map((text) => ({ role: "user", parts: [{ type: "text", text } as const] }));
  return aView({ conversation: { messages, settings: [] } });
}

describe("the texts of a row", () => {
  it("shows the requested parts and leaves out what is unknown", () => {
    const subject = { label: "list models", state: "recorded", test: RECORDED.test } as const;

    expect(formatRow(subject, { now: NOW, facts: ["test", "tokens", "age", "model"] }).description).toBe(
      "answers in one word",
    );
  });

  it("names every state in text for screen readers", () => {
    const states: RowState[] = ["recorded", "new", "missing", "stale", "broken"];

    const words = states.map((state) => formatRow({ ...RECORDED, state }, { now: NOW }));

    expect(new Set(words.map(({ state }) => state)).size).toBe(states.length);
    expect(words.every(({ spoken, state }) => spoken.endsWith(state))).toBe(true);
    expect(words[0]?.spoken).toBe('"Say hi in one word", gpt-4o-mini, 23 tokens, 3 d, recorded');
  });
});

describe("the label of a call", () => {
  it("quotes the first line of the last user message", () => {
    expect(labelCall(asked("Hello.", "\n  Say hi.  \nIn French."))).toBe('"Say hi."');
  });

  it("names the operation when there is no user message", () => {
    const view = { ...asked(), facts: { streaming: false, label: "3 texts to embed" } };

    expect(labelCall(view)).toBe("3 texts to embed");
  });

  it("is cut between characters and kept to one harmless line", () => {
    const label = labelCall(asked(`a\tb\u001b${"👩".repeat(80)}`));

    expect(label).toBe(`"a b␛${"👩".repeat(55)}…"`);
  });
});
