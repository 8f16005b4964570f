import { readCount, type Fields, readFields, readList, tryParsePlainJson } from "../../core/base/lenient.ts";
import { isStream } from "../../client/wire/completions.ts";
import { loadOnce } from "./sdk/connection.ts";
import type { AzureConnection } from "./sdk/openai.ts";
import type { ChatTransport } from "./model-base.ts";
import type { ProviderRules } from "./provider-reader.ts";
import { CHAT_FAMILY } from "../../core/protocol/openai/chat/reply.ts";

/** Reads chat completions. A chunk without choices repeats the content with other usage. */
export const openaiReader: ProviderRules = {
  family: CHAT_FAMILY,
  /** Reasoning without text is a block too. */
  readBlocks(completion) {
    const { reasoning_content: own, reasoning } = firstMessage(completion);
    return (typeof own === "string" ? own : reasoning) === "" ? [{ type: "thinking", thinking: "" }] : [];
  },
  countsOf: (usage) => ({
    input: readCount(usage["prompt_tokens"]) ?? 0,
    output: readCount(usage["completion_tokens"]) ?? 0,
    raw: usage,
  }),
  emits(state, chunk) {
    if (readList(chunk["choices"]).length > 0) return undefined;
    return state.usage === undefined ? "silent" : "as-before";
  },
};

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
  const sdk = loadOnce(
    connection.client,
    () => import("./sdk/openai.ts"),
    (loaded) => (kind === "azure" ? loaded.createAzureSdk(connection) : loaded.createOpenaiSdk(connection)),
  );
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

const firstMessage = (completion: Fields): Fields =>
  readFields(readFields(readList(completion["choices"])[0])["message"]);

/** Adds the first choice's text as parsed JSON; null if it is not JSON. */
function withParsed(completion: unknown): unknown {
  const fields = readFields(completion);
  const [first, ...rest] = readList(fields["choices"]);
  const message = firstMessage(fields);
  const parsed = tryParsePlainJson(String(message["content"])) ?? null;
  return { ...fields, choices: [{ ...readFields(first), message: { ...message, parsed } }, ...rest] };
}

async function* once(answer: unknown): AsyncGenerator<unknown, void, void> {
  yield answer;
}
