import { expect, test } from "vitest";
import { chatError } from "../../../src/client/errors.ts";
import { convertContentPart } from "../../../src/systems/kosong/core-client.ts";
import {
  ChatProviderError,
  clientFromProvider,
  convertSdkError,
  convertTransportFault,
  coreMessage,
  EchoChatProvider,
  kosongMessages,
  message as kosongMessage,
  MockChatProvider,
  RecoveringMockChatProvider,
  ScriptedEchoChatProvider,
  textPart,
  type ChatProvider,
} from "../../../src/systems/kosong/index.ts";
import { asking, partsOf } from "./asking.ts";
import { collect, toolResult, user } from "../../../src/client/index.ts";
import { given } from "../../client/bad-input/cells.ts";

/** An error of a class of this name, as an SDK throws it. */
function thrown(name: string, message: string, fields: object = {}): Error {
  const named = { [name]: class extends Error {} }[name]!;
  return Object.assign(new named(message), fields);
}

test.each<readonly [error: unknown, name: string, facts: object]>([
  ["odd", "ChatProviderError", { message: "Error: odd", kind: "unknown" }],
  [
    thrown("APIStatusError", "no", { status: 400, requestID: "a", requestId: "b" }),
    "APIStatusError",
    { requestId: "a" },
  ],
  [thrown("APIStatusError", "no", { status: 400, requestId: "b" }), "APIStatusError", { requestId: "b" }],
  [thrown("APIStatusError", "no", { status: 400, requestID: 5 }), "APIStatusError", { requestId: null }],
  [thrown("APIConnectionTimeoutError", "slow"), "APITimeoutError", { message: "slow" }],
  [thrown("APITimeoutError", "slow"), "APITimeoutError", {}],
  [thrown("APIConnectionError", "gone"), "APIConnectionError", {}],
  [chatError("timeout", "slow"), "APITimeoutError", {}],
  [chatError("connection", "gone"), "APIConnectionError", {}],
  [chatError("validation", "no"), "ChatProviderError", { kind: "validation", message: "Error: no" }],
  [thrown("APIError", "Request timed out"), "APITimeoutError", {}],
  [thrown("APIError", "deadline passed"), "APITimeoutError", {}],
  [thrown("APIError", "the network is down"), "APIConnectionError", {}],
  [thrown("APIError", "odd"), "ChatProviderError", { message: "Error: odd" }],
  [thrown("APIError", "timeout", { body: {} }), "ChatProviderError", {}],
  [thrown("APIError", "timeout", { error: {} }), "ChatProviderError", {}],
  [thrown("APIConnectionError2", "gone"), "APIConnectionError", {}],
  [thrown("OtherError", "timeout"), "ChatProviderError", {}],
])("an SDK's error is kosong's, case %#", (error, name, facts) => {
  expect(convertSdkError(error)).toMatchObject({ name, ...facts });
  expect(convertSdkError(error).cause).toBe(error);
});

test("an error of kosong's own stays the one that it is", () => {
  const error = new ChatProviderError("odd");

  expect(convertSdkError(error)).toBe(error);
});

test.each<readonly [fault: object, name: string, facts: object]>([
  [{ kind: "timeout", message: "slow" }, "APITimeoutError", { message: "slow" }],
  [{ kind: "network", message: "gone" }, "APIConnectionError", { message: "gone" }],
  [{ kind: "remote-protocol", message: "gone" }, "APIConnectionError", {}],
  [{ kind: "other", message: "odd" }, "ChatProviderError", { message: "HTTP error: odd", kind: "unknown" }],
  [
    { kind: "status", status: 429, message: "slow", headers: { "x-request-id": "a", "x-trace-id": "t" } },
    "APIStatusError",
    { requestId: "a", traceId: "t" },
  ],
  [{ kind: "status", status: 429, message: "slow" }, "APIStatusError", { requestId: null, traceId: null }],
])("a fault of the transport is kosong's error, case %#", (fault, name, facts) => {
  const cause = new Error("why");

  expect(convertTransportFault(given(fault), cause)).toMatchObject({ name, cause, ...facts });
});

const URL_OF = { kind: "url", url: "https://a.test/x" } as const;

test.each<readonly [part: object, made: object]>([
  [
    { type: "text", text: "a" },
    { type: "text", text: "a" },
  ],
  [
    { type: "thinking", text: "h" },
    { type: "think", think: "h", encrypted: null },
  ],
  [
    { type: "thinking", text: "h", signature: "s" },
    { type: "think", think: "h", encrypted: "s" },
  ],
  [
    { type: "image", source: URL_OF },
    { type: "image_url", image_url: { url: URL_OF.url, id: null } },
  ],
  [
    { type: "audio", source: URL_OF, extras: { id: "i" } },
    { type: "audio_url", audio_url: { url: URL_OF.url, id: "i" } },
  ],
  [
    { type: "video", source: { kind: "base64", mediaType: "video/mp4", data: "aGk=" } },
    { type: "video_url", video_url: { url: "data:video/mp4;base64,aGk=", id: null } },
  ],
])("a part of the core is one of kosong's, case %#", (part, made) => {
  expect(convertContentPart(given(part))).toEqual(made);
});

test("messages go from the core to kosong and back, results one by one", () => {
  const call = { type: "tool-call", id: "c", name: "f", arguments: "{}" } as const;
  const assistant = { role: "assistant", name: "bob", parts: [{ type: "text", text: "a" }, call] } as const;

  const [said] = kosongMessages(assistant);
  const results = kosongMessages({
    role: "user",
    name: "ann",
    parts: [
      { type: "tool-result", callId: "c", content: "x" },
      { type: "tool-result", callId: "d", name: "g", content: [{ type: "text", text: "y" }] },
    ],
  });

  expect(said).toMatchObject({ role: "assistant", name: "bob", content: [{ type: "text", text: "a" }] });
  expect(coreMessage(said!)).toEqual(assistant);
  expect(results.map(({ role, name, toolCallId, content }) => [role, name, toolCallId, content])).toEqual([
    ["tool", "ann", "c", [textPart("x")]],
    ["tool", "g", "d", [textPart("y")]],
  ]);
  expect(coreMessage(results[0]!)).toEqual({
    role: "tool",
    parts: [{ type: "tool-result", callId: "c", content: "x", name: "ann" }],
  });
});

test("a provider is called with its system prompt, the tools unchanged, and the rest as history", async () => {
  const asked: unknown[] = [];
  const provider = new MockChatProvider([textPart("a"), textPart("b")]);
  const generate = provider.generate.bind(provider);
  const watched = Object.assign(provider, {
    generate: (prompt: Parameters<typeof generate>[0]) => {
      asked.push(prompt);
      return generate(prompt);
    },
  });
  const client = clientFromProvider(watched);
  const events: string[] = [];

  for await (const event of client.stream({
    messages: [
      { role: "system", parts: [{ type: "text", text: "s" }] },
      { role: "system", parts: [{ type: "text", text: "t" }] },
      user("u"),
      toolResult("c", "r"),
    ],
    tools: [{ name: "f" }, { name: "g", description: "d", parameters: { type: "object" } }],
  }))
    events.push("index" in event ? `${event.type}@${event.index}` : event.type);

  expect(asked).toMatchObject([
    {
      systemPrompt: "s\n\nt",
      tools: [
        { name: "f", description: "", parameters: {} },
        { name: "g", description: "d", parameters: { type: "object" } },
      ],
      history: [{ role: "user" }, { role: "tool", toolCallId: "c" }],
    },
  ]);
  expect(events).toEqual(["start", "text@0", "text@0", "finish"]);
  expect((await collect(client.stream({ messages: [user("u")] }))).message.parts).toEqual([
    { type: "text", text: "ab" },
  ]);
});

test("echoes and mocks keep their kind with an effort, and continue from their position", async () => {
  const prompt = asking("text: a");
  const read = async (provider: ChatProvider) => partsOf(await provider.generate(prompt));
  const scripted = new ScriptedEchoChatProvider(["text: 1", "text: 2"]);
  const recovering = new RecoveringMockChatProvider([textPart("m")]);

  expect(await read(new EchoChatProvider().withThinking("low"))).toEqual([textPart("a")]);
  expect(await read(scripted)).toEqual([textPart("1")]);
  const copy = scripted.withThinking("high");
  expect(await read(copy)).toEqual([textPart("2")]);
  await expect(copy.generate(prompt)).rejects.toThrow("exhausted at turn 3");
  expect(await read(scripted)).toEqual([textPart("2")]);
  expect(await read(recovering.withThinking("low"))).toEqual([textPart("m")]);
  await expect(new EchoChatProvider().generate({ ...prompt, history: [] })).rejects.toMatchObject({
    kind: "validation",
  });
  await expect(
    new EchoChatProvider().generate({ ...prompt, history: [kosongMessage({ role: "assistant" })] }),
  ).rejects.toMatchObject({ kind: "validation", message: expect.stringMatching(/to be user/) as string });
});
