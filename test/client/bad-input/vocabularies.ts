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
  "no messages": { ask: () => metagpt().aaskCode([]), where: "messages", says: /empty/ },
  "an empty message": {
    ask: () => metagpt().aaskCode(given([{ role: "user" }])),
    where: "messages[0]",
    says: /exactly the keys role and content/,
  },
  "an unknown role": {
    ask: () => metagpt().aaskCode(given(ROBOT)),
    where: "messages[0].role",
    says: /"robot" is not a role/,
  },
  "a tool without a name": {
    ask: () => metagpt().aaskCode("x", { tools: [tool()] }),
    where: "tools[0].function.name",
    says: /needs a name/,
  },
  "a choice of an absent tool": {
    ask: () => metagpt().aaskCode("x", { tool_choice: choiceOf("absent") }),
    where: "tool_choice",
    says: /no tool is called "absent"; the tools are execute/,
  },
  "a picture that is none": {
    ask: () => metagpt().aask("x", { images: "not a picture!" }),
    where: "messages[1].content[1].image_url.url",
    says: /not base64/,
  },
  "arguments that are not JSON": {
    ask: () => metagpt({}, broken).aaskCode("x"),
    kind: "empty",
    says: /Parse code error for \{language: oops/,
  },
  "a value that contains itself": {
    ask: () => metagpt().aaskCode(given([aCircle()])),
    where: "messages[0].content[0]",
    says: /contains itself/,
  },
  "a negative limit": {
    ask: () => metagpt({ maxTokens: -1 }).aask("x"),
    where: "max_tokens",
    says: /not -1/,
  },
  "a script that runs dry": {
    ask: () => metagpt({}, dry()).aask("x"),
    kind: "not-recorded",
    where: "call 1",
    says: /no answer for call 1: it has 0/,
  },
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
  "no messages": { ask: () => asked({ history: [] }), says: /messages: the list is empty/ },
  "an empty message": {
    ask: () => asked({ history: [message({ role: "user" })] }),
    says: /messages\[0\]\.parts: the message is empty/,
  },
  "an unknown role": {
    ask: () => asked({ history: [message({ role: given("robot"), content: "x" })] }),
    says: /messages\[0\]\.role: "robot" is not a role/,
  },
  "a tool without a name": { ask: () => plain(""), says: /tool has no name/ },
  "a choice of an absent tool": "a prompt has no choice of tools",
  "a picture that is none": {
    ask: () =>
      asked({ history: [message({ role: "user", content: [textPart("x"), imageURLPart(PICTURE)] })] }),
    says: /messages\[0\]\.parts\[1\]\.source: the image's data is not base64/,
  },
  "arguments that are not JSON": {
    tells: () => simpleToolset([plain("f")]).handle(toolCall("c", "f", { arguments: "{oops" })),
    says: /Error parsing JSON arguments/,
  },
  "a value that contains itself": {
    ask: () => asked({ tools: [{ name: "f", description: "", parameters: endless }] }),
    says: /tools\[0\]\.parameters: JSON cannot hold/,
  },
  "a negative limit": { ask: () => chaosConfig({ retryAfter: -1 }), says: /retryAfter must be .*got -1/ },
  "a script that runs dry": {
    ask: () => new ScriptedEchoChatProvider([]).generate(),
    kind: "not-recorded",
    says: /exhausted at turn 1/,
  },
};

const manus = (settings: object = {}, completions = unsent): LLM =>
  new LLM({ settings: { ...SETTINGS, ...settings }, completions, countText: (text) => text.length });

export const OPENMANUS: Row = {
  "no messages": { ask: () => manus().ask([]), where: "messages", says: /empty/ },
  // Messages without content are omitted, as in the original, so there is nothing left to send.
  "an empty message": { ask: () => manus().ask([{ role: "user" }]), where: "messages", says: /empty/ },
  "an unknown role": { ask: () => manus().ask(ROBOT), where: "messages", says: /Invalid role: robot/ },
  "a tool without a name": {
    ask: () => manus().askTool(HI, { tools: [tool()] }),
    where: "tools[0].function.name",
    says: /needs a name/,
  },
  "a choice of an absent tool": {
    ask: () => manus().askTool(HI, { tools: [tool("a")], extra: { tool_choice: choiceOf("b") } }),
    where: "tool_choice",
    says: /no tool is called "b"; the tools are a/,
  },
  "a picture that is none": {
    ask: () => manus().askWithImages(HI, [PICTURE]),
    where: "messages[0].content[1].image_url.url",
    says: /not base64/,
  },
  "arguments that are not JSON": {
    tells: () => {
      const toolCalls = [{ id: "c", type: "function" as const, function: { name: "f", arguments: "{oops" } }];
      const tools = [{ definition: given(tool("f")), run: () => "x" }];
      return act({ added: [], toolCalls, acts: true, isFinished: false }, { llm: manus(), tools });
    },
    says: /Error parsing arguments for f: Invalid JSON format/,
  },
  "a value that contains itself": {
    ask: () => manus().ask([aCircle()]),
    where: "messages[0].content[0].content",
    says: /contains itself/,
  },
  "a negative limit": { ask: () => manus({ max_tokens: -3 }).ask(HI), where: "max_tokens", says: /not -3/ },
  "a script that runs dry": {
    ask: () => manus({}, dry()).ask(HI),
    kind: "not-recorded",
    where: "call 1",
    says: /no answer for call 1/,
  },
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

const miroRow = (provider: typeof openAiProvider, picture: object, place: string): Row => ({
  "no messages": { ask: miro(provider, []), where: "messages", says: /empty/ },
  "an empty message": {
    ask: miro(provider, [{ role: "user" }]),
    where: "messages[0]",
    says: /message is empty/,
  },
  "an unknown role": { ask: miro(provider, ROBOT), where: "messages[0].role", says: /"robot" is not a role/ },
  "a tool without a name": {
    ask: miro(provider, HI, [tool()]),
    where: "tools[0].function.name",
    says: /needs a name/,
  },
  "a choice of an absent tool": "createMessage has no choice of tools",
  "a picture that is none": {
    ask: miro(provider, pictured(picture)),
    where: `messages[0].content[0].${place}`,
    says: /not base64/,
  },
  "arguments that are not JSON": {
    tells: () => parseToolCalls([{ id: "c", function: { name: "s-f", arguments: "oops oops" } }]),
    says: /Failed to parse arguments/,
  },
  "a value that contains itself": {
    ask: miro(provider, [aCircle()]),
    where: "messages[0].content[0]",
    says: /contains itself/,
  },
  "a negative limit": {
    ask: () => standIn(provider, () => ({}), { cfg: config({ max_tokens: -1 }) }),
    where: "llm.max_tokens",
    says: /not -1/,
  },
  "a script that runs dry": {
    ask: async () => {
      const { client } = await standIn(provider, () => {
        throw chatError("not-recorded", "The script has no answer for call 2.", { where: "call 2" });
      });
      await client.createMessage({ systemPrompt: "", messageHistory: HI });
      throw client.lastError;
    },
    kind: "not-recorded",
    where: "call 2",
    says: /no answer for call 2/,
  },
});

const block = { type: "image", source: { type: "base64", media_type: "image/png", data: "no picture!" } };
export const MIROFLOW: Readonly<Record<string, Row>> = {
  "MiroFlow's OpenAI client": miroRow(openAiProvider, imageUrl, "image_url.url"),
  "MiroFlow's Anthropic client": miroRow(anthropicProvider, block, "source"),
};
