import { fieldsOf, listOf, type Fields } from "../../../core/protocol/reading/lenient.ts";
import { isStream } from "../../adapters/adapter.ts";
import type { AzureConnection, OpenaiSdk } from "../../adapters/openai/connection.ts";
import type { ChatTransport } from "./model-base.ts";

/** What sends chat completions; the official SDK in a thin coat. */
export interface OpenaiTransport {
  create: ChatTransport;
  /** A structured answer: the message has it as `parsed`, null where there is none. */
  parse(args: Fields, signal?: AbortSignal): Promise<unknown>;
  /** The chunks of a structured answer. */
  stream(args: Fields, signal?: AbortSignal): Promise<AsyncIterable<unknown>>;
}

/** The official SDK, loaded when the first call needs it. */
export function sdkTransport(kind: "openai" | "azure", connection: AzureConnection): OpenaiTransport {
  let made: Promise<OpenaiSdk> | undefined;
  const sdk = async (): Promise<OpenaiSdk> => {
    const { openaiSdk, azureSdk } = await import("../../adapters/openai/sdk.ts");
    return kind === "azure" ? azureSdk(connection) : openaiSdk(connection);
  };
  const create: ChatTransport = async (args, signal) => {
    made ??= sdk();
    const { chat } = await made;
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

/** The first choice's text, read as JSON, beside it; null where it is none. */
function withParsed(completion: unknown): unknown {
  const fields = fieldsOf(completion);
  const [first, ...rest] = listOf(fields["choices"]);
  const message = fieldsOf(fieldsOf(first)["message"]);
  const parsed = jsonOrNull(message["content"]);
  return { ...fields, choices: [{ ...fieldsOf(first), message: { ...message, parsed } }, ...rest] };
}

function jsonOrNull(text: unknown): unknown {
  try {
    const value: unknown = JSON.parse(String(text));
    return value;
  } catch {
    return null;
  }
}

async function* once(answer: unknown): AsyncGenerator<unknown, void, void> {
  yield answer;
}
