import { array, assert, dictionary, jsonValue, oneof, property, string } from "fast-check";
import { expect, test } from "vitest";
import {
  answerText,
  experienceText,
  fixServerNames,
  parseToolCalls,
} from "../../../src/systems/miroflow/parsing.ts";
import { repairJson } from "../../../src/client/json/repair-json.ts";
import {
  convertToolDefinitionToToolCall,
  plainToolNames,
  safeToolNames,
} from "../../../src/systems/miroflow/tool-names.ts";
import { goldenFile } from "../../client/golden.ts";

const golden = goldenFile("miroflow-parsing");

golden.test("tool calls are found in texts and in the providers' own fields [MF-24, MF-25]", {
  rows: ({ name }) => /^(?:xml|openai|responses)-?/.test(name),
  run: ({ input }) => parseToolCalls(input),
});
golden.test("server names that models get wrong are corrected from the system prompt [MF-26]", {
  rows: ({ name }) => name.startsWith("fix-"),
  run: ({ input }) => fixServerNames(input.text, input.system_prompt),
});
golden.test("the text of an answer is separated from its tool calls and thoughts [MF-25]", {
  rows: ({ name }) => name.startsWith("summary-"),
  run: ({ input }) => ({ experience: experienceText(input), text: answerText(input) }),
});
golden.done();

const random = goldenFile("miroflow-random");
random.test(
  "random answers are read and corrected as the original does it, whatever is blank to Python [MF-25, MF-26]",
  {
    run({ input: { what, input } }) {
      if (what === "parse") return parseToolCalls(input);
      if (what === "fix") return fixServerNames(input.text, input.system_prompt);
      return { experience: experienceText(input), text: answerText(input) };
    },
  },
);
random.done();

test("safe names map back to their tools, for any tool names [MF-I7, MF-D10]", () => {
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
  const servers = [{ name: "s", tools: [{ error: "could not connect" }, {}, { name: "a.b", schema: {} }] }];

  const [tool] = convertToolDefinitionToToolCall(servers, {
    names: safeToolNames(),
    warn: (text) => warnings.push(text),
  });

  expect(tool).toMatchObject({ function: { name: "s-a_b" } });
  expect(warnings).toEqual([
    "A tool of s is left out: could not connect",
    "A tool of s is left out: it has no name",
  ]);
});

test("arguments in text are repaired as json_repair does, and only text without any is returned [MF-25]", () => {
  const block = (args: string): string =>
    `<use_mcp_tool><server_name>s</server_name><tool_name>t</tool_name><arguments>${args}</arguments></use_mcp_tool>`;
  const read = {
    '{"query":"x" "num":5}': { query: "x", num: 5 },
    '```json\n{"a": 1}\n```': { a: 1 },
    'Sure: {"a": "say "hi" to", "b": 1}}': { a: 'say "hi" to', b: 1 },
    '{"a": 1, // first\n "b": null}': { a: 1 },
    '{"a": NaN}': { a: Number.NaN },
    null: null,
    "just words": { error: "Failed to parse arguments", raw: "just words" },
  };

  const calls = Object.keys(read).map((args) => parseToolCalls(block(args))[0]?.arguments);

  expect(calls).toEqual(Object.values(read));
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
