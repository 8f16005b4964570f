import { expect, test } from "vitest";
import {
  chatResponse,
  chatUsage,
  responseFromWire,
  wireBodyOf,
  type Block,
  type ChatResponse,
  type WireProvider,
} from "../../../src/systems/agentscope/index.ts";
import { seededSurroundings } from "../../../src/client/surroundings.ts";

function response(content: Block[], given: Partial<ChatResponse> = {}): ChatResponse {
  return chatResponse({ content, id: "r1", ...given }, seededSurroundings(1));
}

const CALL: Block = { type: "tool_use", id: "c1", name: "f", input: { a: 1 }, raw_input: '{"a": 1}' };
const SAID: Block[] = [
  { type: "thinking", thinking: "hm" },
  { type: "text", text: "a" },
  { type: "text", text: "b" },
];
const usage = chatUsage({ input_tokens: 3, output_tokens: 4, time: 1 });

const CALLED = { id: "c1", type: "function", function: { name: "f", arguments: '{"a": 1}' } };

const openai = (message: object, finish: string, more: object = {}): object => ({
  id: "r1",
  object: "chat.completion",
  created: 0,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", refusal: null, ...message }, finish_reason: finish }],
  ...more,
});
const anthropic = (content: readonly object[], stop: string, more: object = {}): object => ({
  id: "r1",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason: stop,
  stop_sequence: null,
  ...more,
});
const dashscope = (message: object, finish: string, more: object = {}): object => ({
  request_id: "r1",
  output: { choices: [{ message: { role: "assistant", ...message }, finish_reason: finish }] },
  ...more,
});
const gemini = (parts: readonly object[], more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
  modelVersion: "m",
  responseId: "r1",
  ...more,
});
const ollama = (message: object, more: object = {}): object => ({
  model: "m",
  created_at: "1970-01-01T00:00:00Z",
  message: { role: "assistant", ...message },
  done: true,
  done_reason: "stop",
  ...more,
});

/** The provider's own body; fields it cannot hold are under "agentscope" and are checked below. */
test.each<readonly [provider: WireProvider, given: ChatResponse, body: object]>([
  [
    "openai",
    response(SAID, { usage }),
    openai({ content: "ab", reasoning_content: "hm" }, "stop", {
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    }),
  ],
  ["openai", response([CALL]), openai({ content: null, tool_calls: [CALLED] }, "tool_calls")],
  [
    "openai",
    response([{ type: "audio", source: { type: "base64", media_type: "audio/wav", data: "QUJD" } }]),
    openai({ content: null, audio: { data: "QUJD" } }, "stop"),
  ],
  [
    "anthropic",
    response([{ type: "thinking", thinking: "hm", signature: "S" }, ...SAID.slice(1)], { usage }),
    anthropic(
      [
        { type: "thinking", thinking: "hm", signature: "S" },
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      "end_turn",
      { usage: { input_tokens: 3, output_tokens: 4 } },
    ),
  ],
  [
    "anthropic",
    response([SAID[0]!, CALL]),
    anthropic(
      [
        { type: "thinking", thinking: "hm", signature: "" },
        { type: "tool_use", id: "c1", name: "f", input: { a: 1 } },
      ],
      "tool_use",
    ),
  ],
  [
    "dashscope",
    response(SAID, { usage }),
    dashscope({ content: "ab", reasoning_content: "hm" }, "stop", {
      usage: { input_tokens: 3, output_tokens: 4 },
    }),
  ],
  ["dashscope", response([CALL]), dashscope({ content: "", tool_calls: [CALLED] }, "tool_calls")],
  [
    "gemini",
    response(
      [SAID[0]!, { type: "text", text: "a", thought_signature: "S" }, { ...CALL, thought_signature: "T" }],
      { usage },
    ),
    gemini(
      [
        { text: "hm", thought: true },
        { text: "a", thoughtSignature: "S" },
        { functionCall: { id: "c1", name: "f", args: { a: 1 } }, thoughtSignature: "T" },
      ],
      { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 } },
    ),
  ],
  ["gemini", response([SAID[1]!]), gemini([{ text: "a" }])],
  [
    "ollama",
    response(SAID, { usage }),
    ollama({ content: "ab", thinking: "hm" }, { prompt_eval_count: 3, eval_count: 4 }),
  ],
  [
    "ollama",
    response([CALL]),
    ollama({ content: "", tool_calls: [{ function: { name: "f", arguments: { a: 1 } } }] }),
  ],
])("%s's reply reads back as the same response: %#", async (provider, given, body) => {
  const { agentscope: _, ...written } = await wireBodyOf(provider, given, "m");
  const whole = await wireBodyOf(provider, given, "m");
  const back = await responseFromWire(provider, { body: new TextEncoder().encode(JSON.stringify(whole)) });

  expect(written).toEqual(body);
  expect([back.content, back.id]).toEqual([given.content, "r1"]);
});

test.each<readonly [what: string, provider: WireProvider, given: ChatResponse, beside: object | undefined]>([
  ["nothing when the wire has a place for all", "openai", response([{ type: "text", text: "a" }]), undefined],
  ["texts that are two", "openai", response([SAID[1]!, SAID[2]!]), { content: [SAID[1], SAID[2]] }],
  ["an id that the wire has none for", "ollama", response([SAID[1]!]), { id: "r1" }],
  [
    "the usage of another provider",
    "anthropic",
    response([SAID[1]!], { usage: { ...usage, metadata: { own: 1 } } }),
    { usage: { own: 1 } },
  ],
])("beside a body is %s", async (_, provider, given, beside) => {
  expect((await wireBodyOf(provider, given, "m"))["agentscope"]).toEqual(beside);
});

const read = (provider: WireProvider, text: string, contentType?: string): Promise<ChatResponse> =>
  responseFromWire(provider, { body: new TextEncoder().encode(text), contentType });
const CHUNKS = ["a", "b"].map((content) => JSON.stringify({ id: "s", choices: [{ delta: { content } }] }));

test.each<readonly [what: string, text: string, type: string | undefined]>([
  ["events", CHUNKS.map((chunk) => `data: ${chunk}\n\n`).join(""), "text/event-stream"],
  [
    "events with one that is not JSON",
    [CHUNKS[0], "[DONE]", CHUNKS[1]].map((chunk) => `data: ${chunk}\n\n`).join(""),
    "text/event-stream; charset=utf-8",
  ],
  ["lines", CHUNKS.join("\n"), "application/x-ndjson"],
  ["lines of no type, with one that is none", `${CHUNKS.join("\noops\n")}\n`, undefined],
])("a recorded stream of %s is its last response", async (_, text, type) => {
  const back = await read("openai", text, type);

  expect(back).toMatchObject({ id: "s", content: [{ type: "text", text: "ab" }] });
  expect(back).not.toHaveProperty("is_last");
});

test("a stream of one event is a stream, and one without events is an empty response", async () => {
  const one = await read("openai", `data: ${CHUNKS[0]}\n\n`, "text/event-stream");

  expect(one.content).toEqual([{ type: "text", text: "a" }]);
  expect((await read("openai", "", "text/event-stream")).content).toEqual([]);
});

test("foreign fields beside a body are ignored", async () => {
  const body = { id: "x", choices: [{ message: { content: "a" } }] };
  const beside = (agentscope: unknown): Promise<ChatResponse> =>
    read("openai", JSON.stringify({ ...body, agentscope }));

  for (const odd of [5, { content: [{ type: "nope" }], id: 5 }, { content: "a" }])
    expect(await beside(odd)).toMatchObject({ id: "x", content: [{ type: "text", text: "a" }] });
  expect(await beside({ content: [CALL], id: "y" })).toMatchObject({ id: "y", content: [CALL] });
});
