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

const SIGNED: Block[] = [
  { type: "thinking", thinking: "hm", signature: "S" },
  { type: "text", text: "a", thought_signature: "T" },
  { ...CALL, thought_signature: "U" },
  { type: "audio", source: { type: "base64", media_type: "audio/wav", data: "QUJD" } },
];
const PROVIDERS = ["openai", "anthropic", "dashscope", "gemini", "ollama"] as const;

test.each(PROVIDERS)(
  "a response becomes an answer of %s and back, with nothing lost [AS-I4]",
  async (provider) => {
    const metadata = { own: 1 };
    for (const content of [SAID, [CALL], SIGNED, []])
      for (const counted of [null, usage, { ...usage, metadata }]) {
        const whole = await wireBodyOf(provider, response(content, { usage: counted }), "m");
        const back = await responseFromWire(provider, {
          body: new TextEncoder().encode(JSON.stringify(whole)),
        });

        expect([back.content, back.id]).toEqual([content, "r1"]);
        expect(back.usage?.output_tokens).toBe(counted?.output_tokens);
        expect(back.usage?.metadata ?? {}).toMatchObject(counted?.metadata ?? {});
      }
  },
);

test("texts, tool calls, and counts are in the provider's own places", async () => {
  const given = response([{ type: "text", text: "a" }, CALL], { usage });
  const bodies = await Promise.all(PROVIDERS.map((provider) => wireBodyOf(provider, given, "m")));

  expect(bodies).toMatchObject([
    {
      choices: [{ message: { content: "a", tool_calls: [{ id: "c1", function: { name: "f" } }] } }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    },
    { content: [{ text: "a" }, { type: "tool_use", id: "c1", input: { a: 1 } }], usage: { input_tokens: 3 } },
    { output: { choices: [{ message: { content: "a" } }] }, usage: { input_tokens: 3, output_tokens: 4 } },
    {
      candidates: [{ content: { parts: [{ text: "a" }, { functionCall: { name: "f", args: { a: 1 } } }] } }],
    },
    {
      message: { content: "a", tool_calls: [{ function: { name: "f", arguments: { a: 1 } } }] },
      eval_count: 4,
    },
  ]);
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
