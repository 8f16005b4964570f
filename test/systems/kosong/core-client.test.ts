import { expect, test } from "vitest";
import {
  assistant,
  collect,
  fixedClient,
  system,
  toolResult,
  user,
  type Message as CoreMessage,
  type StreamEvent,
} from "../../../src/client/index.ts";
import {
  APIStatusError,
  ChaosChatProvider,
  clientFromProvider,
  coreMessage,
  generate,
  kosongMessages,
  message,
  MockChatProvider,
  providerFromClient,
  textPart,
  thinkPart,
  tokenUsage,
  toolCall,
  toolCallPart,
} from "../../../src/systems/kosong/index.ts";
import { asking } from "./asking.ts";
import { chatError } from "../../../src/client/errors.ts";

const calls = [{ type: "tool-call", id: "c1", name: "f", arguments: '{"a":1}' }] as const;

test("a kosong provider is a client of the core: parts become pieces, orphans are dropped [X-01]", async () => {
  const usage = tokenUsage({ inputOther: 5, output: 2, inputCacheRead: 1 });
  const provider = new MockChatProvider(
    [
      toolCallPart("lost"),
      thinkPart("hm", null),
      thinkPart("m", "SIG"),
      textPart("a"),
      textPart("b"),
      toolCall("c1", "f"),
      toolCallPart('{"a":'),
      toolCallPart("1}"),
    ],
    { usage, id: "r1" },
  );

  const reply = await clientFromProvider(provider).complete({ messages: [system("be brief"), user("hi")] });

  expect(reply).toMatchObject({ id: "r1", model: "mock", finishReason: "tool-calls" });
  expect(reply.usage).toMatchObject({ uncachedInputTokens: 5, cacheReadTokens: 1, outputTokens: 2 });
  expect(reply.message.parts).toEqual([
    { type: "thinking", text: "hmm", signature: "SIG" },
    { type: "text", text: "ab" },
    ...calls,
  ]);
  expect(provider.calls[0]).toMatchObject({ systemPrompt: "be brief", history: [{ role: "user" }] });
});

test("parts that kosong would merge are pieces of one place [X-01]", async () => {
  const parts = [
    textPart("a"),
    textPart("b"),
    toolCall("c1", "f"),
    toolCallPart("{"),
    toolCallPart(null),
    toolCallPart("}"),
  ];
  const places: unknown[] = [];

  for await (const event of clientFromProvider(new MockChatProvider(parts)).stream({
    messages: [user("hi")],
  }))
    if ("index" in event)
      places.push([
        event.index,
        event.type,
        "text" in event ? event.text : "arguments" in event && event.arguments,
      ]);

  expect(places).toEqual([
    [0, "text", "a"],
    [0, "text", "b"],
    [1, "tool-call", ""],
    [1, "tool-call", "{"],
    [1, "tool-call", ""],
    [1, "tool-call", "}"],
  ]);
});

test("a kosong provider that is a client is called with the content of the prompt, and nothing more [X-01]", async () => {
  const client = fixedClient("hi");
  const provider = providerFromClient(() => client, globalThis.fetch);
  const history = [message({ role: "user", content: "go" }), message({ role: "assistant", content: "x" })];

  await generate(provider, { systemPrompt: "", tools: [], history });

  expect(client.calls).toEqual([{ messages: [user("go"), assistant("x")] }]);
  expect(kosongMessages(assistant("x"))[0]?.toolCalls).toBe(null);
});

test("a client of the core is a kosong provider, calls coming whole [X-01]", async () => {
  const events: StreamEvent[] = [
    { type: "start", id: "r" },
    { type: "tool-call", index: 1, id: "c1", name: "f", arguments: "{" },
    { type: "tool-call", index: 2, id: "c2", name: "g", arguments: "[" },
    { type: "text", index: 0, text: "hi" },
    { type: "tool-call", index: 1, arguments: "}" },
    { type: "tool-call", index: 2, arguments: "]" },
    { type: "finish", reason: "tool-calls" },
  ];
  const provider = providerFromClient(() => fixedClient({ events }), globalThis.fetch);

  const { id, message: answer } = await generate(provider, asking("go"));

  expect(id).toBe("r");
  expect(answer.toolCalls?.map(({ id: call, function: { arguments: written } }) => [call, written])).toEqual([
    ["c1", "{}"],
    ["c2", "[]"],
  ]);
});

test("messages go to kosong and back [X-01]", () => {
  const messages: CoreMessage[] = [
    user([
      { type: "text", text: "look" },
      { type: "image", source: { kind: "url", url: "https://x/y.png" }, extras: { id: "i1" } },
    ]),
    assistant([{ type: "thinking", text: "hm", signature: "S" }, ...calls]),
    toolResult("c1", "42", "f"),
  ];

  const back = messages.flatMap(kosongMessages).map(coreMessage);

  expect(back).toEqual(messages);
});

test("a tool's message with a thought in it gives the core its text alone, as a part", () => {
  const said = message({
    role: "tool",
    content: [thinkPart("hm", null), textPart("42")],
    toolCallId: "c1",
  });

  expect(coreMessage(said).parts).toEqual([
    { type: "tool-result", callId: "c1", content: [{ type: "text", text: "42" }] },
  ]);
});

test("failures keep their kind both ways, and chaos reaches any client's transport [KO-52, X-01, X-02]", async () => {
  const provider = providerFromClient(
    (fetch) => ({
      ...fixedClient("fine"),
      async *stream() {
        const answer = await fetch("http://x");
        if (!answer.ok) throw chatError("status", "down", { status: answer.status });
        yield { type: "text", index: 0, text: "fine" };
        yield { type: "finish", reason: "stop" };
      },
    }),
    async () => new Response("ok"),
  );
  const chaos = new ChaosChatProvider(provider, { errorProbability: 1, errorTypes: [503] });

  const failing = generate(chaos, asking("go"));
  const client = clientFromProvider(chaos);

  await expect(failing).rejects.toBeInstanceOf(APIStatusError);
  await expect(collect(client.stream({ messages: [user("go")] }))).rejects.toMatchObject({
    kind: "status",
    status: 503,
    retryable: true,
  });
});
