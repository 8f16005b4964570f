import { array, assert, dictionary, jsonValue, oneof, property, string } from "fast-check";
import { expect, test } from "vitest";
import {
  answerText,
  experienceText,
  fixServerNames,
  parseToolCalls,
} from "../../../../src/client/vocabularies/miroflow/parsing.ts";
import { repairJson } from "../../../../src/client/json/repair-json.ts";
import {
  convertToolDefinitionToToolCall,
  plainToolNames,
  safeToolNames,
} from "../../../../src/client/vocabularies/miroflow/tool-names.ts";
import { goldenFile } from "../../golden.ts";

const golden = goldenFile("miroflow-parsing");

golden.test("tool calls are found in texts and in the providers' own fields [MF-24, MF-25]", {
  rows: ({ name }) => /^(?:xml|openai|responses)-?/.test(name),
  run: ({ input }) => parseToolCalls(input),
});
golden.test("server names that models get wrong are corrected from the system prompt [MF-26]", {
  rows: ({ name }) => name.startsWith("fix-"),
  run: ({ input }) => fixServerNames(input.text, input.system_prompt),
});
golden.test("what an answer says is told from its tool calls and thoughts [MF-25]", {
  rows: ({ name }) => name.startsWith("summary-"),
  run: ({ input }) => ({ experience: experienceText(input), text: answerText(input) }),
});
golden.done();

test("safe names come back as the tools they stand for, whatever they are called [MF-I7, MF-D10]", () => {
  const places = [
    { server: "a", tool: "b-c" },
    { server: "a-b", tool: "c" },
    { server: "a b", tool: "c" },
    { server: "ü", tool: "文件" },
    { server: "s".repeat(60), tool: "t".repeat(60) },
    { server: "s".repeat(60), tool: "t".repeat(61) },
  ];
  const names = safeToolNames();

  const given = places.map((place) => names.nameOf(place));

  expect(new Set(given).size).toBe(places.length);
  expect(given.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
  expect(given.map((name) => names.placeOf(name))).toEqual(places);
  expect(places.map((place) => names.nameOf(place))).toEqual(given);
  expect(plainToolNames.placeOf("a-b-c")).toEqual({ server: "a-b", tool: "c" });
  expect(names.placeOf("never-told")).toEqual({ server: "never", tool: "told" });
});

test("definitions take safe names, and a tool that could not be had is left out with a warning [MF-I7, MF-D14]", () => {
  const warnings: string[] = [];
  const servers = [{ name: "s", tools: [{ error: "could not connect" }, { name: "a.b", schema: {} }] }];

  const [tool] = convertToolDefinitionToToolCall(servers, {
    names: safeToolNames(),
    warn: (text) => warnings.push(text),
  });

  expect(tool).toMatchObject({ function: { name: "s-a_b" } });
  expect(warnings).toEqual(["A tool of s is left out: could not connect"]);
});

test("what models mean as JSON is read, and what is no value is not guessed [MF-25]", () => {
  const read = {
    "{'a': 'it''s'}": { a: "it''s" },
    '{"a": "say "hi" to", "b": 1}': { a: 'say "hi" to', b: 1 },
    "{a: 1, b: [1 2 3}": undefined,
    '{"a": [1, 2': { a: [1, 2] },
    '{"code": "line one\nline two"}': { code: "line one\nline two" },
    "{'t': True, 'n': None,}": { t: true, n: null },
    '{"p": "C:\\Users\\\\x"}': { p: "C:\\Users\\x" },
    "just words": undefined,
    '{"a": 1} and more': undefined,
  };

  expect(Object.keys(read).map(repairJson)).toEqual(Object.values(read));
});

test("repairing gives well-formed JSON back unchanged and never hangs on any text [MF-25]", () => {
  assert(
    property(oneof(array(jsonValue()), dictionary(string(), jsonValue())), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.stringify(repairJson(text))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
  assert(property(string(), (text) => void repairJson(`{${text}`)));
});
