import { describe, expect, test } from "vitest";
import { isChatError, type ChatError } from "../../src/client/errors.ts";
import { AnthropicChatModel, OpenAIChatModel } from "../../src/client/agentscope/index.ts";
import {
  clientFromProvider,
  MockChatProvider,
  parseEchoScript,
  textPart,
} from "../../src/client/kosong/index.ts";
import { memoryCache, MockLLM } from "../../src/client/metagpt/index.ts";
import { openAiProvider } from "../../src/client/miroflow/index.ts";
import { LLM } from "../../src/client/openmanus/index.ts";
import { scriptedTransport } from "./agentscope/scripted-transport.ts";
import { SETTINGS } from "./openmanus/settings.ts";
import { standIn } from "./miroflow/stand-in.ts";

const circle: Record<string, unknown> = { role: "user" };
circle["content"] = [circle];
const HI = [{ role: "user", content: "hi" }];
const ROBOT = [{ role: "robot", content: "x" }];
const tool = (name?: string): object => ({ type: "function", function: { name, parameters: {} } });

/** What is wrong, what is done with it, where the error says it is, and a piece of what it says. */
type Bad = readonly [what: string, call: () => unknown, where: string, says: RegExp];

const mock = (): MockLLM => new MockLLM({ cache: memoryCache() });
/** As it comes from JavaScript, where nobody looked at its type. */
const given = (value: unknown): never => value as never;
const manus = (settings: object = {}): LLM =>
  new LLM({
    settings: { ...SETTINGS, ...settings },
    completions: { create: () => Promise.reject(new Error("sent")) },
    countText: (text: string) => text.length,
  });
const scope = (): OpenAIChatModel =>
  new OpenAIChatModel({ modelName: "m", transport: scriptedTransport([], []).openai });
const claude = (): AnthropicChatModel =>
  new AnthropicChatModel({ modelName: "m", transport: scriptedTransport([], []).anthropic });
const kosong = () => clientFromProvider(new MockChatProvider([textPart("a")]));

const BAD: Readonly<Record<string, readonly Bad[]>> = {
  MetaGPT: [
    [
      "a content that is no text",
      () => mock().aask(given([{ role: "user", content: 3 }])),
      "msg[0].content",
      /must be a text/,
    ],
    [
      "a value that contains itself",
      () => mock().aaskCode(given([circle])),
      "messages[0].content[0]",
      /contains itself/,
    ],
    [
      "a message without content",
      () => mock().aaskCode(given([{ role: "user" }])),
      "messages[0]",
      /exactly the keys/,
    ],
    ["a message that is a number", () => mock().aaskCode(given(3)), "messages[0]", /got number/],
    ["a map in a batch", () => mock().aaskBatch(given([{ a: 1 }])), "msgs[0]", /a map is none here/],
    [
      "a negative limit",
      () => new MockLLM({ cache: memoryCache(), maxCandidates: -1 }),
      "maxCandidates",
      /not -1/,
    ],
  ],
  OpenManus: [
    ["no messages", () => manus().ask([]), "messages", /empty/],
    ["an unknown role", () => manus().ask(given(ROBOT)), "messages", /Invalid role: robot/],
    [
      "a value that contains itself",
      () => manus().ask(given([circle])),
      "messages[0].content[0].content",
      /contains itself/,
    ],
    [
      "a picture that is a number",
      () => manus().askWithImages(given(HI), [given(3)]),
      "images[0]",
      /Unsupported image/,
    ],
    [
      "a tool without a name",
      () => manus().askTool(given(HI), given({ tools: [tool()] })),
      "tools[0].function.name",
      /needs a name/,
    ],
    [
      "a choice that is none",
      () => manus().askTool(given(HI), { toolChoice: "weather" }),
      "toolChoice",
      /weather/,
    ],
    ["a negative number of tokens", () => manus({ max_tokens: -3 }).ask(given(HI)), "max_tokens", /not -3/],
    ["a negative limit", () => manus({ max_input_tokens: -3 }).ask(given(HI)), "max_input_tokens", /not -3/],
    ["a negative time", () => manus().askTool(given(HI), { timeout: -1 }), "timeout", /not -1/],
  ],
  AgentScope: [
    ["no messages", () => scope().call([]), "messages", /empty/],
    ["no messages for Anthropic", () => claude().call([]), "messages", /empty/],
    ["messages that are none", () => scope().call("hi"), "messages", /expected type/],
    ["an unknown role", () => scope().call(ROBOT), "messages[0].role", /"robot" is no role/],
    [
      "a value that contains itself",
      () => scope().call([circle]),
      "messages[0].content[0]",
      /contains itself/,
    ],
    [
      "a tool without a name",
      () => scope().call(HI, { tools: [tool()] }),
      "tools[0].function.name",
      /needs a name/,
    ],
    [
      "a choice of an absent tool",
      () => scope().call(HI, { tools: [tool("a")], toolChoice: "b" }),
      "tool_choice",
      /'b'/,
    ],
  ],
  kosong: [
    ["no messages", () => kosong().complete({ messages: [] }), "messages", /empty/],
    [
      "an unknown role",
      () => kosong().complete(given({ messages: [{ role: "robot", parts: [] }] })),
      "messages[0].role",
      /robot/,
    ],
    [
      "a tool without a name",
      () =>
        kosong().complete(
          given({ messages: [{ role: "user", parts: [{ type: "text", text: "x" }] }], tools: [{}] }),
        ),
      "tools[0].name",
      /name/,
    ],
  ],
};

describe.each(Object.entries(BAD))("%s refuses, before anything is sent,", (_, all) => {
  test.each(all)("%s", async (_what, call, where, says) => {
    const error = await failureOf(call);

    expect([error.kind, error.where]).toEqual(["validation", where]);
    expect(error.message).toMatch(says);
  });
});

test.each([
  ["an unknown role", ROBOT, /messages\[0\]\.role: "robot" is no role/],
  ["a value that contains itself", [circle], /messages\[0\]\.content\[0\]: the value contains itself/],
])(
  "MiroFlow, which throws nothing, says %s in its log, and sends nothing",
  async (_, messageHistory, says) => {
    const { client, log, sent } = await standIn(openAiProvider, () => ({}));

    const { response } = await client.createMessage({ systemPrompt: "", messageHistory });

    expect([response, sent]).toEqual([null, []]);
    expect(log.map(([, , text]) => text).join("\n")).toMatch(says);
  },
);

test("a script of kosong that is none is told with its line", () => {
  expect(() => parseEchoScript("nonsense")).toThrow("Invalid echo DSL at line 1: 'nonsense'");
});

async function failureOf(call: () => unknown): Promise<ChatError> {
  try {
    await call();
  } catch (error) {
    if (isChatError(error)) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}
