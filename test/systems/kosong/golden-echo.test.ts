import {
  APIStatusError,
  dumpTokenUsage,
  EchoChatProvider,
  message,
  parseEchoScript,
  ScriptedEchoChatProvider,
  type StreamedMessage,
} from "../../../src/systems/kosong/index.ts";
import { expect, test } from "vitest";
import { goldenFile, type GoldenRow } from "../../client/golden.ts";
import { shownPart } from "./golden-parts.ts";

const golden = goldenFile("kosong-echo");
const named = (prefix: string) => (row: GoldenRow) => row.name.startsWith(prefix);

async function shownStream(stream: StreamedMessage): Promise<Record<string, unknown>> {
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(shownPart(part));
  return { parts, id: stream.id, usage: stream.usage === null ? null : dumpTokenUsage(stream.usage) };
}

function errorOf(error: unknown): { error: Record<string, unknown> } {
  const { name: type, message: text } = error as Error;
  return {
    error: { type, message: text, ...(error instanceof APIStatusError && { status_code: error.statusCode }) },
  };
}

golden.test("the DSL reads as the original's [KO-41, KO-42, KO-43, KO-44, KO-45, KO-46, KO-D5]", {
  rows: named("dsl-"),
  run: ({ input }) => {
    const { parts, id, usage } = parseEchoScript(input.script);
    return { parts: parts.map(shownPart), id, usage: usage === null ? null : dumpTokenUsage(usage) };
  },
  errorOf,
  instead: {
    "KO-D5": () => ({
      error: {
        type: "ChatProviderError",
        message: "tool_call_part must be text, an object or a list at line 1, got int: 'tool_call_part: 5'",
      },
    }),
  },
});

test.each(["{}", "[]", "0.0", '""', "null"])(
  "a call's name that Python takes for none, %s, is that of its function",
  (name) => {
    const { parts } = parseEchoScript(`tool_call: {"id": "c", "name": ${name}, "function": {"name": "f"}}`);

    expect(parts).toMatchObject([{ id: "c", function: { name: "f" } }]);
  },
);

test.each(['{"a": 1}', "[1]", "1"])(
  "a call's name that is there and no text, %s, is refused [KO-45]",
  (name) => {
    const script = `tool_call: {"id": "c", "name": ${name}, "function": {"name": "f"}}`;

    expect(() => parseEchoScript(script)).toThrow("tool_call requires string id and name at line 1");
  },
);

golden.test("the echo answers with the content of the last message [KO-47]", {
  rows: named("echo-"),
  run: async ({ input, expected }) => {
    const provider = new EchoChatProvider();
    const history = (input.history as { role: "user"; content: string }[]).map(message);
    const shown = await shownStream(await provider.generate({ systemPrompt: "", tools: [], history }));
    return { ...shown, ...("name" in expected && { name: provider.name }) };
  },
  errorOf,
});

golden.test("the scripted queue answers turn by turn [KO-48]", {
  rows: named("scripted-"),
  run: async ({ input, expected }) => {
    let printed = "";
    const provider = new ScriptedEchoChatProvider(input.scripts, {
      trace: input.trace,
      print: (line) => (printed += `${line}\n`),
    });
    const turns: unknown[] = [];
    let fork: ScriptedEchoChatProvider | undefined;
    for (let turn = 0; turn < input.turns; turn += 1) {
      if (turn === input.with_thinking_before_turn) fork = provider.withThinking("high");
      turns.push(await provider.generate().then(shownStream).catch(withoutStatus));
    }
    const next = fork === undefined ? undefined : await shownStream(await fork.generate());
    return {
      turns,
      printed,
      name: provider.name,
      model_name: provider.modelName,
      ...("fork_next" in expected && { fork_next: next?.["parts"] }),
    };
  },
});

function withoutStatus(error: unknown): unknown {
  const { name: type, message: text } = error as Error;
  return { error: { type, message: text } };
}

golden.done();

test.each([
  ["id:  ' x '  ", { id: " x " }],
  [
    'image_url: {"url": "u", "id": null}',
    { parts: [{ type: "image_url", image_url: { url: "u", id: null } }] },
  ],
  ["tool_call_part: NULL", { parts: [{ arguments_part: null }] }],
  [
    'tool_call: {"id": "c", "name": "", "function": {"name": "f"}}',
    { parts: [{ type: "function", id: "c", function: { name: "f", arguments: null }, extras: null }] },
  ],
  ["usage: output=1_000", { usage: { output: 1000 } }],
  ["usage: output=𝟙𝟚 input_cache_creation=5", { usage: { output: 12, inputCacheCreation: 5 } }],
])("the DSL reads %j as the original does [KO-42, KO-43, KO-44, KO-45, KO-46]", (script, expected) => {
  const { parts, id, usage } = parseEchoScript(script);

  expect({ parts, id, usage }).toMatchObject(expected);
});

test.each([
  [
    "tool_call: id=c name=NULL",
    "tool_call requires string id and name at line 1: 'tool_call: id=c name=NULL'",
  ],
  ["usage: null", "Invalid token 'null' in usage payload."],
  ['usage: "a=b"', "usage payload must be an object, got 'a=b'"],
  ["usage: ,,", "usage payload cannot be empty."],
  ["usage: it's", `Invalid token 'it's' in usage payload.`],
  ["it's: x", `Unknown echo DSL kind 'it's' at line 1: "it's: x"`],
  ["error: 4_29 slow", "slow"],
  ["error: timeout", "Simulated timeout error"],
  ["error: connection", "Simulated connection error"],
  ["error: 503", "Simulated 503 error"],
  [
    "error: 429\tslow",
    "Invalid error spec at line 1: expected status code or 'connection'/'timeout', got '429\\tslow'",
  ],
])("the DSL refuses %j in the original's words [KO-42, KO-43, KO-44, KO-45, KO-46]", (script, words) => {
  expect(() => parseEchoScript(script)).toThrow(expect.objectContaining({ message: words }));
});
