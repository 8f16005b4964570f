import { chatError, scriptedClient } from "../../../src/client/index.ts";
import {
  callableTool,
  chaosConfig,
  message,
  imageURLPart,
  providerFromClient,
  ScriptedEchoChatProvider,
  simpleToolset,
  textPart,
  toolCall,
  type Prompt,
} from "../../../src/systems/kosong/index.ts";
import { memoryCache, MockLLM, openAiLlm } from "../../../src/systems/metagpt/index.ts";
import { anthropicProvider, openAiProvider, parseToolCalls } from "../../../src/systems/miroflow/index.ts";
import { act, LLM } from "../../../src/systems/openmanus/index.ts";
import { completionsOf } from "../../../src/client/wire/from-chat-client.ts";
import type { Completions } from "../../../src/client/wire/completions.ts";
import { config, standIn } from "../../systems/miroflow/stand-in.ts";
import { SETTINGS } from "../../systems/openmanus/settings.ts";
import { aCircle, choiceOf, given, HI, imageUrl, PICTURE, pictured, ROBOT, tool, type Row } from "./cells.ts";

const unsent: Completions = { create: () => Promise.reject(new Error("it was sent")) };
const dry = (): Completions => completionsOf(scriptedClient([]));

const metagpt = (options: object = {}, completions = unsent): MockLLM =>
  new MockLLM({
    cache: memoryCache(),
    allowLive: true,
    live: openAiLlm({ completions, model: "gpt-4o", ...options }),
  });
const broken: Completions = {
  create: async () => {
    const called = { name: "execute", arguments: '{"language": oops, "code": oops}'.replaceAll('"', "") };
    return {
      choices: [
        { message: { role: "assistant", tool_calls: [{ id: "c", type: "function", function: called }] } },
      ],
    };
  },
};

export const METAGPT: Row = {
  "no messages": () => metagpt().aaskCode([]),
  "an empty message": () => metagpt().aaskCode(given([{ role: "user" }])),
  "an unknown role": () => metagpt().aaskCode(given(ROBOT)),
  "a tool without a name": () => metagpt().aaskCode("x", { tools: [tool()] }),
  "a choice of an absent tool": () => metagpt().aaskCode("x", { tool_choice: choiceOf("absent") }),
  "a picture that is none": () => metagpt().aask("x", { images: "not a picture!" }),
  "arguments that are not JSON": () => metagpt({}, broken).aaskCode("x"),
  "a value that contains itself": () => metagpt().aaskCode(given([aCircle()])),
  "a negative limit": () => metagpt({ maxTokens: -1 }).aask("x"),
  "a script that runs dry": () => metagpt({}, dry()).aask("x"),
};

const asked = (prompt: Partial<Prompt>): unknown =>
  providerFromClient(() => scriptedClient([]), fetch).generate({
    systemPrompt: "",
    tools: [],
    history: [message({ role: "user", content: "hi" })],
    ...prompt,
  });
const plain = (name: string, parameters: object = {}) =>
  callableTool({ name, description: "", parameters: { ...parameters }, call: () => given("x") });
const endless: Record<string, unknown> = { type: "object" };
endless["properties"] = { a: endless };

export const KOSONG: Row = {
  "no messages": () => asked({ history: [] }),
  "an empty message": () => asked({ history: [message({ role: "user" })] }),
  "an unknown role": () => asked({ history: [message({ role: given("robot"), content: "x" })] }),
  "a tool without a name": () => plain(""),
  "a choice of an absent tool": "a prompt has no choice of tools",
  "a picture that is none": () =>
    asked({ history: [message({ role: "user", content: [textPart("x"), imageURLPart(PICTURE)] })] }),
  "arguments that are not JSON": () =>
    simpleToolset([plain("f")]).handle(toolCall("c", "f", { arguments: "{oops" })),
  "a value that contains itself": () =>
    asked({ tools: [{ name: "f", description: "", parameters: endless }] }),
  "a negative limit": () => chaosConfig({ retryAfter: -1 }),
  "a script that runs dry": () => new ScriptedEchoChatProvider([]).generate(),
};

const manus = (settings: object = {}, completions = unsent): LLM =>
  new LLM({ settings: { ...SETTINGS, ...settings }, completions, countText: (text) => text.length });

export const OPENMANUS: Row = {
  "no messages": () => manus().ask([]),
  // Messages without content are omitted, as in the original, so there is nothing left to send.
  "an empty message": () => manus().ask([{ role: "user" }]),
  "an unknown role": () => manus().ask(ROBOT),
  "a tool without a name": () => manus().askTool(HI, { tools: [tool()] }),
  "a choice of an absent tool": () =>
    manus().askTool(HI, { tools: [tool("a")], extra: { tool_choice: choiceOf("b") } }),
  "a picture that is none": () => manus().askWithImages(HI, [PICTURE]),
  "arguments that are not JSON": () => {
    const toolCalls = [{ id: "c", type: "function" as const, function: { name: "f", arguments: "{oops" } }];
    const tools = [{ definition: given(tool("f")), run: () => "x" }];
    return act({ added: [], toolCalls, acts: true, isFinished: false }, { llm: manus(), tools });
  },
  "a value that contains itself": () => manus().ask([aCircle()]),
  "a negative limit": () => manus({ max_tokens: -3 }).ask(HI),
  "a script that runs dry": () => manus({}, dry()).ask(HI),
};

/** MiroFlow does not throw: it returns null, and the log and `lastError` contain the reason. */
const miro =
  (provider: typeof openAiProvider, history: unknown, tools: unknown = []) =>
  async () => {
    const { client, log, sent } = await standIn(provider, () => ({}));
    const asking = { systemPrompt: "", messageHistory: given(history), toolDefinitions: given(tools) };
    const { response } = await client.createMessage(asking);
    const said = log.map(([, , text]) => text).join("\n");
    if (response !== null || sent.length > 0 || client.lastError === undefined)
      throw new Error("it was sent");
    if (!said.includes(client.lastError.message)) throw new Error(`the log lacks the reason: ${said}`);
    throw client.lastError;
  };

const miroRow = (provider: typeof openAiProvider, picture: object): Row => ({
  "no messages": miro(provider, []),
  "an empty message": miro(provider, [{ role: "user" }]),
  "an unknown role": miro(provider, ROBOT),
  "a tool without a name": miro(provider, HI, [tool()]),
  "a choice of an absent tool": "createMessage has no choice of tools",
  "a picture that is none": miro(provider, pictured(picture)),
  "arguments that are not JSON": () =>
    parseToolCalls([{ id: "c", function: { name: "s-f", arguments: "oops oops" } }]),
  "a value that contains itself": miro(provider, [aCircle()]),
  "a negative limit": () => standIn(provider, () => ({}), { cfg: config({ max_tokens: -1 }) }),
  "a script that runs dry": async () => {
    const { client } = await standIn(provider, () => {
      throw chatError("not-recorded", "The script has no answer for call 2.", { where: "call 2" });
    });
    await client.createMessage({ systemPrompt: "", messageHistory: HI });
    throw client.lastError;
  },
});

const block = { type: "image", source: { type: "base64", media_type: "image/png", data: "no picture!" } };
export const MIROFLOW: Readonly<Record<string, Row>> = {
  "MiroFlow's OpenAI client": miroRow(openAiProvider, imageUrl),
  "MiroFlow's Anthropic client": miroRow(anthropicProvider, block),
};
