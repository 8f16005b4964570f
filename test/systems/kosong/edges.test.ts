import { expect, test } from "vitest";
import {
  assistant,
  fixedClient,
  functionClient,
  seededSurroundings,
  user,
} from "../../../src/client/index.ts";
import {
  clientFromProvider,
  coreMessage,
  kosongMessages,
  message,
  MockChatProvider,
  providerFromClient,
  simpleToolset,
  step,
  textPart,
  toolCall,
  videoURLPart,
  type ChatProvider,
  type ContentPart,
} from "../../../src/systems/kosong/index.ts";
import { asking, partsOf } from "./asking.ts";

test("a client of a provider thinks as its request asks, reports the end, and is notified when the caller leaves", async () => {
  const asked: unknown[] = [];
  const provider: ChatProvider = {
    name: "p",
    modelName: "m",
    thinkingEffort: null,
    generate: async (prompt) => {
      asked.push([prompt.signal, prompt.systemPrompt]);
      return new MockChatProvider([textPart("a")]).generate(prompt);
    },
    withThinking: (effort) => ({ ...provider, modelName: `m with ${effort}` }),
  };
  const client = clientFromProvider(provider);
  const { signal } = new AbortController();
  const events: unknown[] = [];
  for await (const event of client.stream({ messages: [user("hi")], settings: { thinking: "high" }, signal }))
    events.push(event);

  expect(events).toEqual([
    { type: "start", id: "mock", model: "m with high" },
    { type: "text", index: 0, text: "a" },
    { type: "finish", reason: "stop" },
  ]);
  expect(asked).toEqual([[signal, ""]]);
  await client.complete({ messages: [user("hi")], settings: { thinking: { budgetTokens: 9 } } });
  await expect(client.complete({ messages: [] })).rejects.toMatchObject({ kind: "validation" });
  expect(asked).toHaveLength(2);
});

test("a provider of a client passes on the effort, the signal, and the system prompt", async () => {
  const inner = fixedClient([
    { type: "thinking", text: "hm" },
    { type: "text", text: "a" },
  ]);
  const provider = providerFromClient(() => inner, fetch).withThinking("low");
  const { signal } = new AbortController();

  const tools = [{ name: "f", description: "does", parameters: {} }];
  const answer = await provider.generate(asking("hi", { systemPrompt: "be brief", tools, signal }));

  expect(await partsOf(answer)).toMatchObject([{ type: "think" }, { type: "text" }]);
  expect(inner.calls).toMatchObject([
    {
      messages: [{ role: "system", parts: [{ type: "text", text: "be brief" }] }, { role: "user" }],
      tools: [{ name: "f" }],
      settings: { thinking: "low" },
    },
  ]);
});

test("pictures, audio, and usage of a client reach kosong, and a signal reaches the client", async () => {
  const image = {
    type: "image",
    source: { kind: "url", url: "https://example.com/a.png" },
    extras: { id: "i" },
  } as const;
  const signals: unknown[] = [];
  const inner = functionClient(({ signal }) => {
    signals.push(signal);
    return {
      content: [image, { type: "text", text: "a" }],
      usage: { outputTokens: 3, uncachedInputTokens: 4 },
    };
  });
  const provider = providerFromClient(() => inner, fetch);
  const { signal } = new AbortController();

  const answer = await provider.generate(asking("hi", { signal }));

  expect(await partsOf(answer)).toMatchObject([
    { type: "image_url", image_url: { url: "https://example.com/a.png", id: "i" } },
    { text: "a" },
  ]);
  expect(answer.usage).toMatchObject({ inputOther: 4, output: 3 });
  expect(signals).toEqual([signal]);
});

test("videos and extras of calls convert both ways; parts unknown to kosong are reported", () => {
  const film = message({ role: "user", content: [videoURLPart("https://example.com/a.mp4", "v")] });
  const calling = message({
    role: "assistant",
    content: [],
    toolCalls: [toolCall("c", "f", { arguments: "{}", extras: { a: 1 } })],
  });

  for (const one of [film, calling]) expect(kosongMessages(coreMessage(one))).toEqual([one]);
  expect(coreMessage(calling).parts).toEqual([
    { type: "tool-call", id: "c", name: "f", arguments: "{}", extras: { a: 1 } },
  ]);
  expect(kosongMessages(assistant([{ type: "tool-call", id: "c", name: "f", arguments: "" }]))).toMatchObject(
    [{ toolCalls: [{ extras: null }] }],
  );
  const source = { kind: "id", id: "x" } as const;
  for (const [part, says] of [
    [{ type: "file", source }, "kosong has no content part for a file part."],
    [{ type: "image", source }, "kosong has no address for a image that is a file of the provider's."],
  ] as const) {
    const told = (): unknown => kosongMessages(assistant([part]));
    expect(told).toThrow(expect.objectContaining({ kind: "validation", message: says }));
  }
});

test("results of a tool hold texts and media, in one text when that is all", () => {
  const result = (content: string | readonly ContentPart[]): unknown =>
    coreMessage(message({ role: "tool", toolCallId: "c", content })).parts;

  expect(result("a")).toMatchObject([{ content: "a" }]);
  expect(result([textPart("a"), textPart("b")])).toMatchObject([{ content: [{ text: "a" }, { text: "b" }] }]);
  expect(result([videoURLPart("https://example.com/a.mp4")])).toMatchObject([
    { content: [{ type: "video" }] },
  ]);
});

test("two calls with the same id are reported, and each has its result", async () => {
  const surroundings = seededSurroundings(1);
  const tools = simpleToolset();
  const provider = new MockChatProvider([
    toolCall("c", "none"),
    textPart("a"),
    toolCall("c", "none"),
    toolCall("d", "none"),
  ]);

  const made = await step(provider, tools, { ...asking("hi"), surroundings });

  expect(await made.toolResults()).toHaveLength(3);
  expect(surroundings.logged).toEqual([{ level: "warning", message: "Two tool calls have the id c." }]);
});
