import {
  lastResponse,
  type ChatModelBase,
  type ModelOptions,
} from "../../../src/systems/agentscope/index.ts";
import {
  parseArguments,
  scriptedClient,
  user,
  type ChatClient,
  type LogEntry,
  type Part,
} from "../../../src/client/index.ts";
import { openDeck } from "../../../src/deck/deck.ts";
import { createMemoryStore } from "../../../src/storage/memory-store.ts";
import { modelOf } from "../../systems/agentscope/scripted-models.ts";
import { scriptedTransport } from "../../systems/agentscope/scripted-transport.ts";
import { aCircle, given, HI, imageUrl, pictured, ROBOT, tool, type Cell, type Row } from "./cells.ts";

type ModelFactory = (options: Partial<ModelOptions>, fetch?: typeof globalThis.fetch) => ChatModelBase;

const transport = scriptedTransport([], []);
const named = { modelName: "m", stream: false };

/** AgentScope's models, over a transport that fails where anything is sent, or over a fetch. */
const MODELS = Object.fromEntries(
  Object.entries({
    OpenAI: "openai",
    Anthropic: "anthropic",
    Gemini: "gemini",
    Ollama: "ollama",
    DashScope: "dashscope",
  } as const).map(([name, provider]): [string, ModelFactory] => [
    name,
    (options, fetch) =>
      modelOf(provider, {
        ...named,
        ...options,
        ...(fetch ? { connection: { fetch, apiKey: "k" } } : { transport: transport[provider] }),
      }),
  ]),
);

const unreadable = { message: { tool_calls: [{ id: "c", function: { name: "f", arguments: "oops" } }] } };

/** Unreadable arguments of an answer become empty with a warning in the log, as in the original. */
async function warningsOf(provider: "openai" | "dashscope", response: object): Promise<unknown> {
  const log: LogEntry[] = [];
  const surroundings = { log: (entry: LogEntry) => void log.push(entry) };
  const answers = scriptedTransport([{ response }], [])[provider];
  await lastResponse(await modelOf(provider, { ...named, surroundings, transport: answers }).call(HI));
  return log;
}

const BROKEN: Readonly<Record<string, Cell>> = {
  OpenAI: () => warningsOf("openai", { choices: [unreadable] }),
  DashScope: () => warningsOf("dashscope", { status_code: 200, output: { choices: [unreadable] } }),
};

const modelRow = (name: string, made: ModelFactory): Row => ({
  "no messages": () => made({}).call([]),
  "an empty message": () => made({}).call([{ role: "user" }]),
  "an unknown role": () => made({}).call(ROBOT),
  "a tool without a name": () => made({}).call(HI, { tools: [tool()] }),
  "a choice of an absent tool":
    name === "Ollama"
      ? "Ollama has no choice of tools: any is ignored with a warning, as in the original"
      : () => made({}).call(HI, { tools: [tool("a")], toolChoice: "b" }),
  "a picture that is none": () => made({}).call(pictured(imageUrl)),
  "arguments that are not JSON": BROKEN[name] ?? "its wire has objects, in a conversation and in an answer",
  "a value that contains itself": () => made({}).call([aCircle()]),
  "a negative limit":
    name === "Ollama"
      ? "a num_predict below 0 means without end there"
      : () => made({ generateKwargs: { max_tokens: -1 } }).call(HI),
  "a script that runs dry": async () => lastResponse(await made({}, dryFetch()).call(HI_OF[name] ?? HI)),
});

/** A message in each provider's own wire format. */
const HI_OF: Readonly<Record<string, object[]>> = { Gemini: [{ role: "user", parts: [{ text: "hi" }] }] };

/** A fetch in lenient mode, whose script has no answer at all. */
function dryFetch(): typeof globalThis.fetch {
  const upstreams = { azure: "https://resource.openai.azure.com" };
  const deck = openDeck({
    dir: "/nowhere",
    store: createMemoryStore(),
    project: false,
    script: [],
    upstreams,
  });
  return deck.fetch(deck.createRun("lenient"));
}

export const AGENTSCOPE: Readonly<Record<string, Row>> = Object.fromEntries(
  Object.entries(MODELS).map(([name, made]) => [`AgentScope's ${name} model`, modelRow(name, made)]),
);

const circle: Record<string, unknown> = {};
circle["self"] = circle;
const picture: Part = {
  type: "image",
  source: { kind: "base64", mediaType: "image/png", data: "not a picture!" },
};
const hi = { messages: [user("hi")] };

/** A client of the core; `dry` and `broken` are what differs between them. */
function coreRow(client: () => ChatClient, dry: Cell, broken: Cell): Row {
  const refused = (request: unknown) => () => client().complete(given(request));
  return {
    "no messages": refused({ messages: [] }),
    "an empty message": refused({ messages: [user([])] }),
    "an unknown role": refused({ messages: [{ role: "robot", parts: [] }] }),
    "a tool without a name": refused({ ...hi, tools: [{}] }),
    "a choice of an absent tool": refused({ ...hi, tools: [{ name: "a" }], toolChoice: { tool: "b" } }),
    "a picture that is none": refused({ messages: [user([picture])] }),
    "arguments that are not JSON": broken,
    "a value that contains itself": refused({ ...hi, settings: { extra: circle } }),
    "a negative limit": refused({ ...hi, settings: { maxOutputTokens: -1 } }),
    "a script that runs dry": dry,
  };
}

export const CORE: Readonly<Record<string, Row>> = {
  "the core": coreRow(
    () => scriptedClient(["x"]),
    () => scriptedClient([]).complete(hi),
    () => parseArguments({ id: "c1", name: "f", arguments: "{oops" }),
  ),
};
