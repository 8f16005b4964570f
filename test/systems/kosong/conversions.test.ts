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
import { given, pageOf, shown } from "../../client/bad-input/cells.ts";

/** An error of a class of this name, as an SDK throws it. */
function thrown(name: string, message: string, fields: object = {}): Error {
  const named = { [name]: class extends Error {} }[name]!;
  return Object.assign(new named(message), fields);
}

/** Errors of SDKs. */
const THROWN: readonly unknown[] = [
  "odd",
  thrown("APIStatusError", "no", { status: 400, requestID: "a", requestId: "b" }),
  thrown("APIStatusError", "no", { status: 400, requestId: "b" }),
  thrown("APIStatusError", "no", { status: 400, requestID: 5 }),
  thrown("APIConnectionTimeoutError", "slow"),
  thrown("APITimeoutError", "slow"),
  thrown("APIConnectionError", "gone"),
  thrown("APIConnectionError2", "gone"),
  thrown("OtherError", "timeout"),
  chatError("timeout", "slow"),
  chatError("connection", "gone"),
  chatError("validation", "no"),
  ...["Request timed out", "deadline passed", "the network is down", "odd"].map((text) =>
    thrown("APIError", text),
  ),
  thrown("APIError", "timeout", { body: {} }),
  thrown("APIError", "timeout", { error: {} }),
];

/** Faults of transports. */
const FAULTS: readonly object[] = [
  { kind: "timeout", message: "slow" },
  { kind: "network", message: "gone" },
  { kind: "remote-protocol", message: "gone" },
  { kind: "other", message: "odd" },
  { kind: "status", status: 429, message: "slow", headers: { "x-request-id": "a", "x-trace-id": "t" } },
  { kind: "status", status: 429, message: "slow" },
];

const source = { kind: "url", url: "https://a.test/x" } as const;
const PARTS: readonly object[] = [
  { type: "text", text: "a" },
  { type: "thinking", text: "h" },
  { type: "thinking", text: "h", signature: "s" },
  { type: "image", source },
  { type: "audio", source, extras: { id: "i" } },
  { type: "video", source: { kind: "base64", mediaType: "video/mp4", data: "aGk=" } },
  ...["file", "tool-call", "tool-result"].map((type) => ({ type })),
];

test("errors, faults, and parts become kosong's, as the page beside this test has it", async () => {
  const because = new Error("why");
  const page = await pageOf([
    ...THROWN.map((error) => [titleOf(error), () => factsOf(convertSdkError(error), error)] as const),
    ...FAULTS.map(
      (fault) =>
        [shown(fault), () => factsOf(convertTransportFault(given(fault), because), because)] as const,
    ),
    ...PARTS.map((part) => [shown(part), () => convertContentPart(given(part))] as const),
  ]);
  const own = new ChatProviderError("odd");

  // `vitest FILE -u` writes the page anew.
  await expect(page).toMatchFileSnapshot("conversions.txt");
  expect(convertSdkError(own)).toBe(own);
});

const titleOf = (error: unknown): string =>
  error instanceof Error
    ? `${error.constructor.name} ${shown(Object.fromEntries(Object.entries(error)))}: ${error.message}`
    : String(error);

function factsOf(error: Error, cause: unknown): object {
  expect(error.cause).toBe(cause);
  const facts = Object.entries(error).filter(([field]) => field !== "cause");
  return { name: error.name, message: error.message, ...Object.fromEntries(facts) };
}

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
