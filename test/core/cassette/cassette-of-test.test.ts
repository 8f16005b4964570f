import { describe, expect, it } from "vitest";
import type { TestRef } from "../../../src/core/call/call.ts";
import { findCassettesOfTest } from "../../../src/core/cassette/cassette-of-test.ts";

const python = (name: string, cls?: string): TestRef => ({
  file: "tests/test_chat.py",
  name: [...(cls === undefined ? [] : [cls]), name.replace(/\[.*/, "")],
  runner: "pytest",
  id: `tests/test_chat.py::${cls === undefined ? "" : `${cls}::`}${name}`,
});
const js = (...name: string[]): TestRef => ({ file: "tests/chat.test.ts", name });
const ruby = (file: string, ...name: string[]): TestRef => ({ file: `spec/${file}_spec.rb`, name });

/** The cassettes of a recorder, each with its test. */
const RECORDERS: Readonly<Record<string, Readonly<Record<string, TestRef>>>> = {
  "pytest-recording": {
    "tests/cassettes/test_chat/test_case[1].yaml": python("test_case[1]"),
    "tests/cassettes/test_chat/test_case[-1].yaml": python("test_case[-1]"),
    "tests/cassettes/test_chat/TestChat.test_case.yaml": python("test_case", "TestChat"),
  },
  "pytest-vcr": {
    "tests/cassettes/test_one.yaml": python("test_one"),
    "tests/cassettes/test_packed.yaml.gz": python("test_packed"),
    "tests/cassettes/test_two[a-b].yaml": python("test_two[a/b]"),
    "tests/cassettes/TestChat.test_one.yaml": python("test_one", "TestChat"),
  },
  "Ruby's VCR": {
    "spec/cassettes/Chat/greets_me.yml": ruby("chat", "Chat", "greets me"),
    "spec/cassettes/Chat/greets_me_again.yml": ruby("chat", "Chat", "greets me again"),
    "spec/cassettes/Other/greets_me.yml": ruby("other", "Other", "greets me"),
  },
  "Polly.JS": {
    "tests/__recordings__/chat_123/greets-me_9/recording.har": js("chat", "greets me"),
    "tests/__recordings__/chat_123/greets-me-again_8/recording.har": js("chat", "greets me again"),
    "tests/__recordings__/other_77/greets-me_9/recording.har": js("other", "greets me"),
  },
  "nock's back": {
    "tests/__nock-fixtures__/chat greets me.json": js("chat", "greets me"),
    "tests/__nock-fixtures__/chat greets me again.json": js("chat", "greets me again"),
    "tests/__nock-fixtures__/chat.test/other.json": js("other"),
  },
};

describe("the cassette of a test is known by its name", () => {
  it.each(Object.entries(RECORDERS))("as %s gives it", (_, tests) => {
    for (const [cassette, test] of Object.entries(tests))
      expect(findCassettesOfTest(test, Object.keys(tests))).toEqual([cassette]);
  });

  it("and by the folders that it shares with its test, where several have the name", () => {
    const cassettes = ["a", "b"].map((name) => `packages/${name}/cassettes/test_chat/test_one.yaml`);
    const test = { ...python("test_one"), file: "packages/b/tests/test_chat.py" };

    expect(findCassettesOfTest(test, cassettes)).toEqual([cassettes[1]]);
  });

  it("and by no other", () => {
    expect(findCassettesOfTest(js("chat", "greets"), ["tests/cassettes/greet.yaml"])).toEqual([]);
  });
});
