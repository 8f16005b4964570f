import { expect, test } from "vitest";
import {
  assistant,
  chaosClient,
  collect,
  faultsInOrder,
  fixedClient,
  functionClient,
  isChatError,
  parseArguments,
  rateLimited,
  retrying,
  scriptedClient,
  user,
} from "../../src/client/index.ts";
import { readFirstChoice, streamChunks } from "../../src/client/wire/completions.ts";
import {
  AnthropicChatModel,
  OpenAIChatModel,
  responseFromWire,
  wireBodyOf,
} from "../../src/systems/agentscope/index.ts";
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
import { codeAnswer } from "../../src/systems/metagpt/code-answer.ts";
import { createSession, memoryCache, message, MockLLM, openAiLlm } from "../../src/systems/metagpt/index.ts";
import { createMiroClient } from "../../src/systems/miroflow/client.ts";
import { openAiProvider } from "../../src/systems/miroflow/openai-provider.ts";
import { encodingFor, LLM, loadEncoding, think } from "../../src/systems/openmanus/index.ts";
import { jsonSchemaOf } from "../../src/systems/agentscope/structured.ts";
import { scriptedTransport } from "../systems/agentscope/scripted-transport.ts";
import { SETTINGS } from "../systems/openmanus/settings.ts";
import { given, HI, pageOf, shown, type Cell } from "./bad-input/cells.ts";

/** Invalid arguments of the public functions: the page beside this test has how each is refused. `vitest FILE -u` writes it. */

const hi = { messages: [user("hi")] };
const inner = fixedClient("fine");
const mock = (options: object = {}): MockLLM => new MockLLM({ cache: memoryCache(), ...options });
const manus = (settings: object = {}, answer?: object): LLM =>
  new LLM({
    settings: { ...SETTINGS, ...settings },
    completions: { create: () => (answer ? Promise.resolve(answer) : Promise.reject(new Error("sent"))) },
    countText: (text: string) => text.length,
  });
const scope = (): OpenAIChatModel =>
  new OpenAIChatModel({ modelName: "m", transport: scriptedTransport([], []).openai });
const streamed = () => new MockChatProvider([]).generate({ systemPrompt: "", tools: [], history: [] });
async function* told(events: readonly object[]): AsyncGenerator<never> {
  yield* events as never[];
}

type Make = readonly [who: string, make: (given: never) => unknown];

const OPTIONS: readonly Make[] = [
  ["fixedClient", (options) => fixedClient("x", options)],
  ["functionClient", (options) => functionClient(() => "x", options)],
  ["retrying", (options) => retrying(inner, "standard", options)],
  ["chaosClient", (options) => chaosClient(inner, options)],
  ["kosong's mock", (options) => new MockChatProvider([], options)],
  ["MetaGPT's mock", (options) => new MockLLM(options)],
  ["MetaGPT's session", (options) => createSession(given({ cache: memoryCache(), ...(options as object) }))],
  ["OpenManus's LLM", (options) => new LLM(options)],
  ["MiroFlow's client", (options) => createMiroClient(openAiProvider, options)],
];

const CLIENTS: readonly Make[] = [
  ["retrying", (client) => retrying(client)],
  ["chaosClient", (client) => chaosClient(client, { plan: () => undefined })],
];

/** As JSON has it: a content that is a text is made parts of by `message` alone. */
const unread = { role: "user", name: null, content: "hi", toolCalls: null, toolCallId: null, partial: null };
const libraryOf = (input: () => unknown) => ({
  "~standard": { version: 1, vendor: "v", validate: () => ({ value: 1 }), jsonSchema: { input } },
});
const throwing = (thrown: unknown) => () => {
  throw thrown;
};

const CALLS: Readonly<Record<string, Cell>> = {
  "a script that ran dry": () => scriptedClient([]).complete(hi),
  "a script that is a text": () => scriptedClient(given("hello")),
  "arguments without an id": () => parseArguments(given({ name: "f", id: "", arguments: "oops" })),
  "arguments with an id": () => parseArguments(given({ name: "f", id: "c1", arguments: "[1]" })),
  "a schema with a reason from its library": () =>
    jsonSchemaOf({ schema: given(libraryOf(throwing(new Error("a date is none")))) }),
  "a schema whose library throws a text": () => jsonSchemaOf({ schema: given(libraryOf(throwing("none"))) }),
  "a schema whose library gives none": () => jsonSchemaOf({ schema: given(libraryOf(() => undefined)) }),
  "a completion that is whole when a stream was asked for": async () => {
    for await (const _ of streamChunks({ choices: [] }));
  },
  "an invalid plan of faults": () => chaosClient(inner, given({ plan: 5 })),
  "faults without a list": () => faultsInOrder(given(rateLimited(1))),
  "a user's message of nothing": () => user(given(undefined)),
  "an assistant's message without a type": () => assistant(given({ text: "no type" })),
  "a piece after the end": () =>
    collect(
      told([
        { type: "finish", reason: "stop" },
        { type: "text", index: 0, text: "a" },
      ]),
    ),
  "a piece without a place": () => collect(told([{ type: "text", index: -1, text: "a" }])),
  "a piece at another one's place": () =>
    collect(
      told([
        { type: "text", index: 2, text: "a" },
        { type: "media", index: 2, part: {} },
      ]),
    ),
  "a piece of another type": () =>
    collect(
      told([
        { type: "text", index: 0, text: "a" },
        { type: "thinking", index: 0, text: "b" },
      ]),
    ),
  "a call without a tool's name": () =>
    collect(told([{ type: "tool-call", index: 0, id: "c", arguments: "{}" }, { type: "finish" }])),
  "a piece of no known type": () => collect(told([{ type: "banana" }])),
  "a stream that ends without saying so": () => collect(told([{ type: "text", index: 0, text: "half" }])),
  "kosong: no plan of chaos": async () => corruptedStream(await streamed(), given(5), given({})),
  "kosong: no dice": async () => corruptedStream(await streamed(), chaosConfig(), given(5)),
  "kosong: extractText": () => extractText(given(unread)),
  "kosong: dumpMessage": () => dumpMessage(given(unread)),
  "kosong: coreMessage": () => coreMessage(given(unread)),
  "kosong: scripts that are a text": () => new ScriptedEchoChatProvider(given("id: 1")),
  "kosong: a script that is none": () => parseEchoScript("nonsense"),
  "AgentScope: an invalid recorded reply": () => responseFromWire("openai", given(5)),
  "AgentScope: a response that is none": () => wireBodyOf("openai", given(5), "m"),
  "AgentScope: an unknown provider": () => wireBodyOf(given("azure"), given({}), "m"),
  "AgentScope: messages that are none": () => scope().call("hi"),
  "AgentScope: no message for Anthropic": () =>
    new AnthropicChatModel({ modelName: "m", transport: given(() => undefined) }).call([]),
  "MetaGPT: a content that is no text": () => mock().aask(given([{ role: "user", content: 3 }])),
  "MetaGPT: a role beside the options": () => message("a", given("assistant")),
  "MetaGPT: a message that is a number": () => mock().aaskCode(given(3)),
  "MetaGPT: a map in a batch": () => mock().aaskBatch(given([{ a: 1 }])),
  "MetaGPT: fewer candidates than one": () => mock({ maxCandidates: -1 }),
  "MetaGPT: an answer without code": () =>
    codeAnswer(readFirstChoice({ choices: [{ message: { role: "assistant", content: null } }] })),
  "MetaGPT: an empty message": () =>
    openAiLlm({ completions: given({ create: () => undefined }), model: "m" }).aask(given([HI[0], {}])),
  "MetaGPT: a class to stand in for": () => mock().standInFor(MockLLM),
  "MetaGPT: no model": () => openAiLlm(given({ completions: {} })),
  "OpenManus: a picture that is a number": () => manus().askWithImages(HI, [given(3)]),
  "OpenManus: an invalid choice": () => manus().askTool(HI, { toolChoice: "weather" }),
  "OpenManus: a negative limit of all input": () => manus({ max_input_tokens: -3 }).ask(HI),
  "OpenManus: a negative temperature": () => manus().askTool(HI, { temperature: -1 }),
  "OpenManus: a negative time": () => manus().askTool(HI, { timeout: -1 }),
  "OpenManus: an empty answer": () =>
    manus({}, { choices: [{ message: { content: "" } }] }).ask(HI, { stream: false }),
  "OpenManus: a step without a list of tools": () =>
    think([], given({ llm: { askTool: () => null }, tools: 5 })),
  "OpenManus: an encoding of no model": () => encodingFor(given(undefined)),
  "OpenManus: an unknown encoding": () => loadEncoding(given("gpt-4o")),
};

/** Invalid parts. The mock of kosong refuses them when it is made or when it is asked. */
const PARTS: readonly unknown[] = [
  "hello",
  [null],
  [{ type: "text", text: "a" }, { type: "nope" }],
  [{ type: "text", text: 5 }],
  [{ type: "function", id: "1" }],
  [{ arguments_part: 5 }],
];

test("wrong values are refused in words, with their place and what to do, before anything is sent", async () => {
  const answers = (parts: unknown) => new MockChatProvider([], { answer: () => given(parts) });
  const page = await pageOf([
    ...OPTIONS.flatMap(([who, make]): [string, Cell][] => [
      [`${who}: an unknown option`, () => make(given({ retrys: 3 }))],
      [`${who}: no options`, () => make(given(null))],
    ]),
    ...CLIENTS.map(([who, make]): [string, Cell] => [`${who}: no client`, () => make(given({ chat: {} }))]),
    ...Object.entries(CALLS),
    ...PARTS.flatMap((parts): [string, Cell][] => [
      [`kosong: the parts ${shown(parts)}`, () => new MockChatProvider(given(parts))],
      [
        `kosong: an answer of ${shown(parts)}`,
        () => answers(parts).generate({ systemPrompt: "", tools: [], history: [] }),
      ],
    ]),
  ]);

  await expect(page).toMatchFileSnapshot("failures.txt");
});

test("a failure is known for one also when another copy of this code made it", () => {
  expect(isChatError({ [Symbol.for("llm-tapedeck.chat-error")]: true })).toBe(true);
  expect(isChatError(new Error("no chat"))).toBe(false);
});
