import { describe, expect, it } from "vitest";
import { filterFromText, passes } from "../../../src/editor/calls-tree/call-filter-model.ts";
import { filterOf, overviewSubjectFrom } from "../../../src/editor/panels/overview-panel-model.ts";

describe("a number of an overview leads to its calls", () => {
  const call = {
    now: 1,
    at: 0,
    state: "stale",
    provider: "openai",
    model: "gpt-4o",
    tests: ["tests/chat.test.ts\nchat\nanswers in one word"],
    contains: () => true,
  } as const;

  it.each([
    [{}, ""],
    [{ provider: "openai", model: "gpt-4o" }, "provider:openai model:gpt-4o"],
    [
      { test: { file: "tests/chat.test.ts", name: ["chat", "answers in one word"] } },
      'test:"answers in one word"',
    ],
    [{ test: { file: "tests/chat.test.ts", name: [] } }, "test:tests/chat.test.ts"],
    [{ state: "stale" as const }, "state:stale"],
  ])("%j: %s", (part, text) => {
    expect(filterOf(part)).toBe(text);
    expect(passes(filterFromText(text), call)).toBe(true);
  });

  it("and to no others", () => {
    for (const part of [{ provider: "anthropic" }, { model: "o3" }, { state: "broken" as const }])
      expect(passes(filterFromText(filterOf(part)), call)).toBe(false);
  });
});

it("an overview comes back for its folder, and of a subject that is none there is nothing", () => {
  expect(overviewSubjectFrom({ folder: "a", more: 1 })).toEqual({ folder: "a" });
  expect(overviewSubjectFrom({})).toEqual({});
  expect(overviewSubjectFrom("a")).toBeUndefined();
});
