import { expect, test } from "vitest";
import { assistant, faultsInOrder, rateLimited, scriptedClient, user } from "../../src/client/index.ts";
import { OpenAIChatModel, responseFromWire, wireBodyOf } from "../../src/systems/agentscope/index.ts";
import {
  chaosConfig,
  coreMessage,
  corruptedStream,
  dumpMessage,
  extractText,
  MockChatProvider,
  parseEchoScript,
  ScriptedEchoChatProvider,
} from "../../src/systems/kosong/index.ts";
import { memoryCache, message, MockLLM, openAiLlm } from "../../src/systems/metagpt/index.ts";
import { encodingFor, LLM, loadEncoding } from "../../src/systems/openmanus/index.ts";
import { scriptedTransport } from "../systems/agentscope/scripted-transport.ts";
import { failureOf, given, HI } from "./bad-input/cells.ts";
import { SETTINGS } from "../systems/openmanus/settings.ts";

const mock = (): MockLLM => new MockLLM({ cache: memoryCache() });
const manus = (settings: object = {}): LLM =>
  new LLM({
    settings: { ...SETTINGS, ...settings },
    completions: { create: () => Promise.reject(new Error("sent")) },
    countText: (text: string) => text.length,
  });
const scope = (): OpenAIChatModel =>
  new OpenAIChatModel({ modelName: "m", transport: scriptedTransport([], []).openai });

const streamed = () => new MockChatProvider([]).generate({ systemPrompt: "", tools: [], history: [] });

/** Inputs of a single vocabulary: the name, the call, and the place and text of the error. */
test.each<readonly [what: string, ask: () => unknown, where: string, says: RegExp]>([
  [
    "MetaGPT: a content that is no text",
    () => mock().aask(given([{ role: "user", content: 3 }])),
    "msg[0].content",
    /must be a text/,
  ],
  [
    "kosong: no plan of chaos",
    async () => corruptedStream(await streamed(), given(5), given({})),
    "config",
    /an object/,
  ],
  [
    "kosong: no dice",
    async () => corruptedStream(await streamed(), chaosConfig(), given(5)),
    "dice",
    /an object/,
  ],
  ["AgentScope: an invalid recorded reply", () => responseFromWire("openai", given(5)), "wire", /an object/],
  ["AgentScope: a response that is none", () => wireBodyOf("openai", given(5), "m"), "response", /an object/],
  [
    "MetaGPT: a role beside the options",
    () => message("a", given("assistant")),
    "options",
    /an object of options/,
  ],
  ["MetaGPT: a message that is a number", () => mock().aaskCode(given(3)), "messages[0]", /got number/],
  ["MetaGPT: a map in a batch", () => mock().aaskBatch(given([{ a: 1 }])), "msgs[0]", /a map is none here/],
  [
    "MetaGPT: fewer candidates than one",
    () => new MockLLM({ cache: memoryCache(), maxCandidates: -1 }),
    "maxCandidates",
    /not -1/,
  ],
  [
    "OpenManus: a picture that is a number",
    () => manus().askWithImages(HI, [given(3)]),
    "images[0]",
    /Unsupported image/,
  ],
  [
    "OpenManus: an invalid choice",
    () => manus().askTool(HI, { toolChoice: "weather" }),
    "toolChoice",
    /weather/,
  ],
  [
    "OpenManus: a negative limit of all input",
    () => manus({ max_input_tokens: -3 }).ask(HI),
    "max_input_tokens",
    /not -3/,
  ],
  ["OpenManus: a negative temperature", () => manus().askTool(HI, { temperature: -1 }), "temperature", /-1/],
  ["OpenManus: a negative time", () => manus().askTool(HI, { timeout: -1 }), "timeout", /not -1/],
  ["AgentScope: messages that are none", () => scope().call("hi"), "messages", /expected type/],
])("%s is refused, before anything is sent", async (_, ask, where, says) => {
  const failure = await failureOf(ask);

  expect(failure).toMatchObject({
    kind: "validation",
    where,
    message: expect.stringMatching(says) as string,
  });
});

/** As JSON has it: a content that is a text is made parts of by `message` alone. */
const unread = { role: "user", name: null, content: "hi", toolCalls: null, toolCallId: null, partial: null };

test.each<readonly [what: string, ask: () => unknown, says: RegExp]>([
  [
    "extractText",
    () => extractText(given(unread)),
    /content must be a list of parts, got string; message\(\)/,
  ],
  ["dumpMessage", () => dumpMessage(given(unread)), /content must be a list of parts, got string/],
  ["coreMessage", () => coreMessage(given(unread)), /content must be a list of parts, got string/],
  ["ScriptedEchoChatProvider", () => new ScriptedEchoChatProvider(given("id: 1")), /scripts: a list is/],
  ["user", () => user(given(undefined)), /content: a text, a part or a list of parts is expected/],
  ["assistant", () => assistant(given({ text: "no type" })), /content: a text, a part or a list/],
  ["scriptedClient", () => scriptedClient(given("hello")), /replies: a list is expected, got string/],
  ["faultsInOrder", () => faultsInOrder(given(rateLimited(1))), /faults: a list is expected, got object/],
  ["openAiLlm", () => openAiLlm(given({ completions: {} })), /model: a text is expected, got undefined/],
  ["encodingFor", () => encodingFor(given(undefined)), /model: a text is expected, got undefined/],
  ["loadEncoding", () => loadEncoding(given("gpt-4o")), /encoding: "gpt-4o" is none of o200k_base, /],
  ["wireBodyOf", () => wireBodyOf(given("azure"), given({}), "m"), /provider: "azure" is none of openai, /],
])("%s reports a wrong value in words, and not as an error of JavaScript", async (_, ask, says) => {
  expect(await failureOf(ask)).toMatchObject({
    kind: "validation",
    message: expect.stringMatching(says) as string,
  });
});

test("an invalid kosong script is reported with its line", () => {
  expect(() => parseEchoScript("nonsense")).toThrow("Invalid echo DSL at line 1: 'nonsense'");
});

test.each<readonly [parts: unknown, says: string]>([
  ["hello", "A list of parts is expected, got string."],
  [[null], "parts[0]: A part is expected, got null."],
  [[{ type: "text", text: "a" }, { type: "nope" }], 'parts[1]: Unknown content part type: "nope"'],
  [[{ type: "text", text: 5 }], "parts[0]: text must be text, got number."],
  [[{ type: "function", id: "1" }], "parts[0]: function must be an object, got undefined."],
  [[{ arguments_part: 5 }], "parts[0]: arguments_part must be text, got number."],
])(
  "kosong's mock refuses %j when it is made, and an answer made of it when it is asked",
  async (parts, says) => {
    const asked = new MockChatProvider([], { answer: () => given(parts) });

    expect(() => new MockChatProvider(given(parts))).toThrow(says);
    await expect(asked.generate({ systemPrompt: "", tools: [], history: [] })).rejects.toThrow(says);
  },
);
