import { loadPeer } from "../../client/check-options.ts";
import {
  readCount,
  type Fields,
  readFields,
  isFields,
  readList,
  readText,
  tryParsePlainJson,
} from "../../core/base/lenient.ts";
import { isStream, loadOnce } from "../../client/adapters/adapter.ts";
import type { AzureConnection, OpenaiSdk } from "../../client/adapters/openai/sdk.ts";
import type { ChatTransport } from "./model-base.ts";
import {
  addArguments,
  type AnswerSoFar,
  createAudioBlock,
  readCalled,
  type Counts,
  readCalledInput,
  type ProviderReader,
  type Reading,
  parseObject,
} from "./reading.ts";
import type { Block } from "./response.ts";

export const openaiReader: ProviderReader = {
  stream: () => ({
    take(state, chunk) {
      state.id = readText(chunk["id"]) ?? state.id;
      state.usage = readCounts(chunk["usage"]) ?? state.usage;
      const [choice] = readList(chunk["choices"]);
      if (choice === undefined) return state.usage === undefined ? "silent" : "as-before";
      takeDelta(state, readFields(readFields(choice)["delta"]));
      return undefined;
    },
  }),
  whole(completion, reading) {
    const [choice] = readList(completion["choices"]);
    const content = contentOf(readFields(readFields(choice)["message"]), reading);
    const usage = readCounts(completion["usage"]);
    return { content, id: readText(completion["id"]), usage, metadata: readCalledInput(content, reading) };
  },
};

function contentOf(message: Fields, { log, audioFormat = "mp3" }: Reading): Block[] {
  const thinking = thinkingIn(message);
  const text = readText(message["content"]);
  const audio = message["audio"];
  const calls = readList(message["tool_calls"]).map(readCalled);
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking" as const, thinking }]),
    ...textBlock(text),
    ...(isFields(audio)
      ? [
          createAudioBlock(readText(audio["data"]) ?? "", `audio/${audioFormat}`),
          ...textBlock(readText(audio["transcript"])),
        ]
      : []),
    ...calls.map(({ id = "", name = "", text: args = "" }): Block => {
      return { type: "tool_use", id, name, input: parseObject(args, log) };
    }),
  ];
}

const textBlock = (text: string | undefined): Block[] => (text === undefined ? [] : [{ type: "text", text }]);

function takeDelta(state: AnswerSoFar, delta: Fields): void {
  state.thinking += thinkingIn(delta) ?? "";
  state.text += readText(delta["content"]) ?? "";
  const audio = readFields(delta["audio"]);
  state.audio += readText(audio["data"]) ?? "";
  state.text += readText(audio["transcript"]) ?? "";
  for (const piece of readList(delta["tool_calls"])) {
    const { index } = readFields(piece);
    const { id = "", name = "", text = "" } = readCalled(piece);
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
  const input = readCount(usage["prompt_tokens"]) ?? 0;
  return { input, output: readCount(usage["completion_tokens"]) ?? 0, raw: usage };
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
export function createSdkTransport(kind: "openai" | "azure", connection: AzureConnection): OpenaiTransport {
  const sdk = loadOnce<OpenaiSdk>(undefined, async () => {
    const { createOpenaiSdk: openaiSdk, createAzureSdk: azureSdk } = await loadPeer(
      () => import("../../client/adapters/openai/sdk.ts"),
    );
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
  const fields = readFields(completion);
  const [first, ...rest] = readList(fields["choices"]);
  const message = readFields(readFields(first)["message"]);
  const parsed = tryParsePlainJson(String(message["content"])) ?? null;
  return { ...fields, choices: [{ ...readFields(first), message: { ...message, parsed } }, ...rest] };
}

async function* once(answer: unknown): AsyncGenerator<unknown, void, void> {
  yield answer;
}
