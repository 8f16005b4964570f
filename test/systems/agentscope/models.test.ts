import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  AnthropicChatModel,
  GeminiChatModel,
  OpenAIChatModel,
  lastResponse,
  type ChatResponse,
} from "../../../src/systems/agentscope/index.ts";
import { seededSurroundings } from "../../../src/client/surroundings.ts";
import { answering, responsesOf, scripted } from "./scripted-models.ts";
import type { Script } from "./scripted-transport.ts";

const messages = [{ role: "user", content: "hi" }];
const start = {
  type: "message_start",
  message: { id: "msg_1", usage: { input_tokens: 10, output_tokens: 1 } },
};
const signedThought = [
  start,
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "x" } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "SIG" } },
  { type: "message_delta", usage: { output_tokens: 99 }, delta: { stop_reason: "end_turn" } },
];

const textChunk = (content: string) => ({ id: "c", usage: null, choices: [{ delta: { content } }] });

describe("AgentScope's models", () => {
  test("give one last response that has the signature and the usage of the end [AS-I1, AS-D2]", async () => {
    const responses = await responsesOf(
      await scripted("anthropic", [{ chunks: signedThought }]).model.call(messages),
    );

    expect(responses.map(({ is_last }) => is_last)).toEqual([undefined, true]);
    expect(responses[1]!.content).toEqual([{ type: "thinking", thinking: "x", signature: "SIG" }]);
    expect(responses[1]!.usage).toMatchObject({ input_tokens: 10, output_tokens: 99 });
    expect(responses[1]!.usage!.metadata).toEqual({ input_tokens: 10, output_tokens: 99 });
  });

  test("tell nothing of an empty delta of Anthropic's [AS-27]", async () => {
    const empty = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "" } };
    const said = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } };

    const responses = await responsesOf(
      await scripted("anthropic", [{ chunks: [start, empty, said] }]).model.call(messages),
    );

    expect(responses.map(({ content }) => content)).toEqual([
      [{ type: "text", text: "hi" }],
      [{ type: "text", text: "hi" }],
    ]);
  });

  test.each([false, true])(
    "put Gemini's signature on the last text, and invent none (streamed: %s) [AS-38]",
    async (stream) => {
      const answer = (...parts: object[]): object => ({ candidates: [{ content: { parts } }] });
      const signed = answer(
        { text: "a" },
        { text: "b" },
        { text: "hm", thought: true, thoughtSignature: "U0lH" },
      );
      const alone = answer({ text: "", thoughtSignature: "U0lH" });
      const ask = async (said: object): Promise<unknown> => {
        const script = [stream ? { chunks: [said] } : { response: said }] as Script;
        const { model } = scripted("gemini", script, { stream });
        return (await responsesOf(await model.call(messages))).at(-1)!.content;
      };

      const texts = stream
        ? [{ type: "text", text: "ab" }]
        : [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ];
      const spoken = (await ask(signed)) as { type: string; thought_signature?: string }[];
      expect(spoken.filter(({ type }) => type === "text")).toEqual([
        ...texts.slice(0, -1),
        { ...texts.at(-1), thought_signature: "U0lH" },
      ]);
      expect(await ask(alone)).toEqual([]);
    },
  );

  test("are not affected by changes at any level of the values they returned [AS-I2, AS-D8]", async () => {
    const call = (text: string) => ({ index: 0, id: "c1", function: { name: "f", arguments: text } });
    const chunk = (delta: object) => ({ id: "c", usage: { prompt_tokens: 1 }, choices: [{ delta }] });
    const chunks = [
      chunk({ content: "a" }),
      chunk({ content: "b", tool_calls: [call('{"x": {"y": 1')] }),
      chunk({ tool_calls: [call(', "z": [2')] }),
      chunk({}),
    ];
    const read = async (use: (response: ChatResponse) => void): Promise<string[]> => {
      const shown: string[] = [];
      const answer = await scripted("openai", [{ chunks: structuredClone(chunks) }]).model.call(messages);
      for await (const response of answer as AsyncIterable<ChatResponse>) {
        const { id: _, created_at: __, ...rest } = response;
        shown.push(JSON.stringify(rest));
        use(response);
      }
      return shown;
    };

    const spoilt = await read(spoil);

    expect(spoilt).toEqual(await read(() => undefined));
    expect(spoilt.at(-1)).toContain('"input":{"x":{"y":1,"z":[2]}}');
  });

  test("keep their settings when the objects they were made from change [AS-I2]", async () => {
    const generateKwargs = { extra: { deep: [1] } };
    const { model, sent } = answering("openai", {}, { generateKwargs });

    generateKwargs.extra.deep.push(2);
    await model.call(messages);

    expect(sent).toMatchObject([{ extra: { deep: [1] } }]);
  });

  test("answer with metadata of their own, for each response [AS-I2, AS-D8]", async () => {
    const chunks = ['{"n": 1', ', "k', '": 2}'].map(textChunk);
    const read = async (use: (response: ChatResponse) => void): Promise<unknown[]> => {
      const { model } = scripted("openai", [{ chunks }]);
      const answer = await model.call(messages, { structuredModel: z.object({ n: z.any(), k: z.any() }) });
      const seen: unknown[] = [];
      for await (const response of answer as AsyncIterable<ChatResponse>) {
        seen.push(structuredClone(response.metadata));
        use(response);
      }
      return seen;
    };

    const spoilt = await read(spoil);

    expect(spoilt).toEqual(await read(() => undefined));
    expect(spoilt.at(-1)).toEqual({ n: 1, k: 2 });
  });

  test("answer with metadata of their own also when a tool's input is kept from before [AS-I2]", async () => {
    const block = { type: "tool_use", id: "t", name: "generate_structured_output", input: {} };
    const pieces = ['{"n": {"d": [1]}', ', "n": ', '{"d": [2]}}'].map((text) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: text },
    }));
    const chunks = [start, { type: "content_block_start", index: 0, content_block: block }, ...pieces];
    const seen: unknown[] = [];
    const { model } = scripted("anthropic", [{ chunks }]);
    const answer = await model.call(messages, { structuredModel: z.object({ n: z.any() }) });
    for await (const response of answer as AsyncIterable<ChatResponse>) {
      seen.push(structuredClone(response.metadata));
      spoil(response);
    }

    expect(seen.filter(Boolean)).toEqual([
      {},
      { n: { d: [1] } },
      { n: { d: [1] } },
      { n: { d: [2] } },
      { n: { d: [2] } },
    ]);
  });

  test("report the structured fallback once, and can be set to retry [AS-I3]", async () => {
    const told: string[] = [];
    const call = { id: "c1", function: { name: "generate_structured_output", arguments: '{"n":1}' } };
    const byTool = { response: { choices: [{ message: { tool_calls: [call] } }] } };
    const refused = { raise: "bad_request", text: "no response_format" };
    const { model } = scripted("openai", [refused, byTool, byTool, refused, byTool], {
      stream: false,
      onStructuredFallback: (reason: string) => told.push(reason),
    });
    const structuredModel = z.object({ n: z.number() });

    const first = await lastResponse(await model.call(messages, { structuredModel }));
    await model.call(messages, { structuredModel });
    const wasFallback = model.structuredFallback;
    model.resetStructuredFallback();
    const isFallback = model.structuredFallback;
    await model.call(messages, { structuredModel });

    expect(first!.metadata).toEqual({ n: 1 });
    expect([wasFallback, isFallback, model.structuredFallback]).toEqual([true, false, true]);
    expect(told).toEqual(["BadRequestError: no response_format", "BadRequestError: no response_format"]);
  });

  test("send one request, and pass errors of the SDK through unchanged [AS-13]", async () => {
    const { model, sent } = scripted("openai", [{ raise: "rate", text: "slow down" }]);

    await expect(model.call(messages)).rejects.toMatchObject({ status: 429, message: "slow down" });

    expect(sent.length).toBe(1);
  });

  test("drop tools with a warning when a structured answer is asked for; Ollama keeps them [AS-09]", async () => {
    const anthropic = answering("anthropic", { content: [] });
    const ollama = answering("ollama", { message: { content: "{}" } });
    const tools = [{ type: "function", function: { name: "f" } }];
    const call = { tools, structuredModel: { schema: { type: "object" } } };

    await anthropic.model.call(messages, call);
    await ollama.model.call(messages, call);

    expect([...anthropic.sent, ...ollama.sent].map((request) => request["tools"])).toEqual([
      [expect.objectContaining({ name: "generate_structured_output" })],
      tools,
    ]);
    expect([...anthropic.logged(), ...ollama.logged()]).toEqual([
      expect.stringContaining("Both 'tools' and 'tool_choice' parameters will be overridden"),
    ]);
  });

  test("have blocks of the original's shapes in the original's order [AS-04]", async () => {
    const delta = {
      reasoning_content: "t",
      content: "x",
      audio: { data: "QQ==" },
      tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "{}" } }],
    };

    const last = await lastResponse(
      await scripted("openai", [{ chunks: [{ choices: [{ delta }] }] }]).model.call(messages),
    );

    expect(last!.content).toEqual([
      { type: "thinking", thinking: "t" },
      { type: "audio", source: { type: "base64", media_type: "audio/wav", data: "QQ==" } },
      { type: "text", text: "x" },
      { type: "tool_use", id: "c", name: "f", input: {}, raw_input: "{}" },
    ]);
  });

  test("read extra headers of DashScope from the environment, and say when they are no JSON [AS-31]", () => {
    const logged = (headersFromEnvironment: string) =>
      scripted("dashscope", [], { headersFromEnvironment, transport: undefined }).logged();

    expect(logged('{"x-a": "1"}')).toEqual([]);
    expect(logged("{x")).toEqual(["DASHSCOPE_API_HEADERS is not a JSON object. It will be ignored."]);
  });
});

/** Changes a value at every depth. */
function spoil(value: object): void {
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === "object" && member !== null) spoil(member);
    if (Array.isArray(value)) value.pop();
    else Reflect.set(value, name, "spoilt");
  }
}

test.each(["clientKwargs", "clientArgs"])(
  "%s reach the SDK, whose structured answer keeps everything",
  async (name) => {
    const sent: (string | null)[] = [];
    const model = new OpenAIChatModel({
      modelName: "m",
      stream: false,
      apiKey: "k",
      surroundings: seededSurroundings(1),
      [name]: { defaultHeaders: { "x-own": "mine" } },
      connection: {
        async fetch(_url: unknown, init?: RequestInit) {
          sent.push(new Headers(init?.headers).get("x-own"));
          const message = { role: "assistant", content: '{"a":1}', reasoning_content: "hm" };
          return Response.json({ id: "c", choices: [{ index: 0, finish_reason: "stop", message }] });
        },
      },
    });

    const answer = await model.call(messages, { structuredModel: { schema: { type: "object" } } });

    expect(sent).toEqual(["mine"]);
    expect(answer).toMatchObject({
      metadata: { a: 1 },
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: '{"a":1}' },
      ],
    });
  },
);

test.each([
  ["azure_endpoint", "endpoint"],
  ["api_version", "apiVersion"],
  ["base_url", "baseURL"],
  ["max_retries", "maxRetries"],
])("the Python SDK's %s is refused among the client's options, and %s is named", (python, name) => {
  const clientKwargs = { [python]: "x" };
  const refused = expect.objectContaining({
    kind: "validation",
    where: `clientKwargs.${python}`,
    hint: `Use ${name} instead, as the JavaScript SDK documents it.`,
  }) as Error;

  for (const Model of [OpenAIChatModel, AnthropicChatModel, GeminiChatModel])
    expect(() => new Model({ modelName: "m", clientKwargs })).toThrow(refused);
  expect(() => new OpenAIChatModel({ modelName: "m", clientType: "azure", clientKwargs })).toThrow(refused);
});
