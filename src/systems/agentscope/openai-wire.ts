import { peer } from "../../client/check-options.ts";
import { countIn, type Fields, fieldsOf, isFields, listOf, textIn, jsonIn } from "../../core/base/lenient.ts";
import { isStream, loadOnce } from "../../client/adapters/adapter.ts";
import type { AzureConnection, OpenaiSdk } from "../../client/adapters/openai/sdk.ts";
import type { ChatTransport } from "./model-base.ts";
import {
  addArguments,
  type AnswerSoFar,
  audioBlock,
  calledOf,
  type Counts,
  calledInput,
  type ProviderReader,
  type Reading,
  objectIn,
} from "./reading.ts";
import type { Block } from "./response.ts";

export const openaiReader: ProviderReader = {
  stream: () => ({
    take(state, chunk) {
      state.id = textIn(chunk["id"]) ?? state.id;
      state.usage = readCounts(chunk["usage"]) ?? state.usage;
      const [choice] = listOf(chunk["choices"]);
      if (choice === undefined) return state.usage === undefined ? "silent" : "as-before";
      takeDelta(state, fieldsOf(fieldsOf(choice)["delta"]));
      return undefined;
    },
  }),
  whole(completion, reading) {
    const [choice] = listOf(completion["choices"]);
    const content = contentOf(fieldsOf(fieldsOf(choice)["message"]), reading);
    const usage = readCounts(completion["usage"]);
    return { content, id: textIn(completion["id"]), usage, metadata: calledInput(content, reading) };
  },
};

function contentOf(message: Fields, { log, audioFormat = "mp3" }: Reading): Block[] {
  const thinking = thinkingIn(message);
  const text = textIn(message["content"]);
  const audio = message["audio"];
  const calls = listOf(message["tool_calls"]).map(calledOf);
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking" as const, thinking }]),
    ...textBlock(text),
    ...(isFields(audio)
      ? [
          audioBlock(textIn(audio["data"]) ?? "", `audio/${audioFormat}`),
          ...textBlock(textIn(audio["transcript"])),
        ]
      : []),
    ...calls.map(({ id = "", name = "", text: args = "" }): Block => {
      return { type: "tool_use", id, name, input: objectIn(args, log) };
    }),
  ];
}

const textBlock = (text: string | undefined): Block[] => (text === undefined ? [] : [{ type: "text", text }]);

function takeDelta(state: AnswerSoFar, delta: Fields): void {
  state.thinking += thinkingIn(delta) ?? "";
  state.text += textIn(delta["content"]) ?? "";
  const audio = fieldsOf(delta["audio"]);
  state.audio += textIn(audio["data"]) ?? "";
  state.text += textIn(audio["transcript"]) ?? "";
  for (const piece of listOf(delta["tool_calls"])) {
    const { index } = fieldsOf(piece);
    const { id = "", name = "", text = "" } = calledOf(piece);
    const slot = state.slots.get(index);
    if (slot !== undefined) addArguments(slot, text);
    else state.slots.set(index, { id, name, raw: text });
  }
}

/** Returns `reasoning_content` if it is a string, even an empty one; otherwise `reasoning`. */
function thinkingIn(fields: Fields): string | undefined {
  return [fields["reasoning_content"], fields["reasoning"]].find((one) => typeof one === "string");
}

function readCounts(usage: unknown): Counts | undefined {
  if (!isFields(usage)) return undefined;
  const input = countIn(usage["prompt_tokens"]) ?? 0;
  return { input, output: countIn(usage["completion_tokens"]) ?? 0, raw: usage };
}

/** Sends chat completions, by default with the official SDK. */
export interface OpenaiTransport {
  create: ChatTransport;
  /** Resolves to a completion whose message has the structured answer as `parsed`; null if there is none. */
  parse(args: Fields, signal?: AbortSignal): Promise<unknown>;
  /** Resolves to the chunks of a structured answer. */
  stream(args: Fields, signal?: AbortSignal): Promise<AsyncIterable<unknown>>;
}

/** Makes a transport that loads the official SDK with the first call. */
export function sdkTransport(kind: "openai" | "azure", connection: AzureConnection): OpenaiTransport {
  const sdk = loadOnce<OpenaiSdk>(undefined, async () => {
    const { openaiSdk, azureSdk } = await peer(() => import("../../client/adapters/openai/sdk.ts"));
    return kind === "azure" ? azureSdk(connection) : openaiSdk(connection);
  });
  const create: ChatTransport = async (args, signal) => {
    const { chat } = await sdk();
    return chat.completions.create(args, { ...(signal && { signal }) });
  };
  return {
    create,
    parse: async (args, signal) => withParsed(await create(args, signal)),
    stream: async (args, signal) => {
      const answer = await create({ ...args, stream: true }, signal);
      return isStream(answer) ? answer : once(answer);
    },
  };
}

/** Adds the first choice's text as parsed JSON; null if it is not JSON. */
function withParsed(completion: unknown): unknown {
  const fields = fieldsOf(completion);
  const [first, ...rest] = listOf(fields["choices"]);
  const message = fieldsOf(fieldsOf(first)["message"]);
  const parsed = jsonIn(String(message["content"])) ?? null;
  return { ...fields, choices: [{ ...fieldsOf(first), message: { ...message, parsed } }, ...rest] };
}

async function* once(answer: unknown): AsyncGenerator<unknown, void, void> {
  yield answer;
}
