import { MESSAGES_FAMILY } from "../anthropic/reply.ts";
import { readVectors } from "../table/vectors.ts";
import { CHAT_FAMILY } from "../openai/chat/reply.ts";
import { readCount, readFields, isFields, readList, readText, type Fields } from "../../base/lenient.ts";
import type { EventReader, ReplyEvent, WireFamily } from "../base/events.ts";
import { createMedia } from "../base/media.ts";
import type { ConversationMessage } from "../base/protocol.ts";
import { createMessages } from "../base/parts.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import { CONVERSE_FAMILY } from "./converse-reply.ts";
import { readEventFailure, readWholeFailure } from "./event-messages.ts";

/**
 * Replies to invoke have the format of the model's vendor, which is recognized by its members.
 * Source: docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html, 2026-11.
 */
export const INVOKE_FAMILY: WireFamily = {
  usage: "bedrock",
  reader: createInvokeReader,
  failureIn: readWholeFailure,
  chunksOf(fields, reply) {
    const isMessage = fields["type"] === "message" && Array.isArray(fields["content"]);
    const isChat = isFields(readFields(readList(fields["choices"])[0])["message"]);
    if (isMessage) return MESSAGES_FAMILY.chunksOf(fields, reply);
    if (isFields(readFields(fields["output"])["message"])) return CONVERSE_FAMILY.chunksOf(fields, reply);
    if (isChat) return CHAT_FAMILY.chunksOf(fields, reply);
    return isSimple(fields) || wholeMessages(fields) !== undefined ? [fields] : undefined;
  },
};

/** Reads chunks like the events of the vendor's own stream. The first chunk identifies the vendor. */
function createInvokeReader(): EventReader {
  let maker: { readonly reader: EventReader; readonly wire: WireFamily["usage"] } | undefined;
  return {
    read(chunk, name, data = "") {
      const error = name === undefined ? undefined : readEventFailure({ event: name, data });
      if (error !== undefined) return [{ type: "error", error }];
      const family = makerOf(chunk);
      maker ??= { reader: family.reader(), wire: family.usage };
      const { reader, wire } = maker;
      return reader.read(chunk).map((event) => (event.type === "usage" ? { ...event, wire } : event));
    },
    end: () => maker?.reader.end?.() ?? [],
  };
}

function makerOf(chunk: Fields): WireFamily {
  if (chunk["type"] === "message_start" || chunk["type"] === "error") return MESSAGES_FAMILY;
  if (chunk["messageStart"] !== undefined) return CONVERSE_FAMILY;
  const isChat = readList(chunk["choices"]).some((choice) => "delta" in readFields(choice));
  return isChat ? CHAT_FAMILY : SIMPLE_FAMILY;
}

/** A completion that is one text, vectors, or pictures. */
const SIMPLE_FAMILY: WireFamily = {
  usage: "bedrock",
  chunksOf: (fields) => [fields],
  reader() {
    let usage: Fields = {};
    return {
      read(chunk) {
        usage = { ...usage, ...countsIn(chunk) };
        const counted: ReplyEvent = { type: "usage", usage };
        if (isSimple(chunk)) return [...textEvents(chunk), counted];
        const messages = wholeMessages(chunk) ?? [];
        const messageEvents = messages.flatMap(({ role, parts }): readonly ReplyEvent[] => [
          { type: "message", role },
          { type: "part", index: 0, parts, raw: chunk },
        ]);
        return [...messageEvents, counted];
      },
    };
  },
};

/** Llama's `generation`, Mistral's `outputs`, Titan's `results` (in a stream `outputText`), `choices` with a text. */
function simpleIn(fields: Fields): { readonly first: Fields; readonly text: unknown } {
  const lists = [fields["outputs"], fields["results"], fields["choices"]];
  const first = readFields(lists.flatMap(readList)[0]);
  const places = [fields["generation"], fields["outputText"], fields["completion"], first["text"]];
  return { first, text: [...places, first["outputText"]].find((one) => typeof one === "string") };
}

const isSimple = (fields: Fields): boolean => simpleIn(fields).text !== undefined;

function textEvents(fields: Fields): readonly ReplyEvent[] {
  const { first, text } = simpleIn(fields);
  const reason =
    readText(fields["stop_reason"]) ??
    readText(fields["completionReason"]) ??
    readText(first["stop_reason"]) ??
    readText(first["completionReason"]) ??
    readText(first["finish_reason"]);
  return [
    { type: "message", role: "assistant" },
    { type: "text", index: 0, text: String(text), isSilent: true },
    ...(reason === undefined ? [] : [{ type: "finish" as const, reason }]),
  ];
}

/** Reads the counts of any vendor under Bedrock's names. */
function countsIn(fields: Fields): Fields {
  const metrics = readFields(fields["amazon-bedrock-invocationMetrics"]);
  const { first } = simpleIn(fields);
  const inputTokens =
    readCount(metrics["inputTokenCount"]) ??
    readCount(fields["prompt_token_count"]) ??
    readCount(fields["inputTextTokenCount"]);
  const outputTokens =
    readCount(metrics["outputTokenCount"]) ??
    readCount(fields["generation_token_count"]) ??
    readCount(first["tokenCount"]);
  return pickDefined({ inputTokens, outputTokens });
}

const VECTORS = readVectors(
  [],
  "/embedding",
  "/embeddings/*/embedding",
  "/embeddings/float/*",
  "/embeddings/*",
);

/** Reads vectors (one of Titan, lists of Cohere, typed ones of Nova) or images. Returns undefined if there are none. */
function wholeMessages(fields: Fields): readonly ConversationMessage[] | undefined {
  if ((fields["embedding"] ?? fields["embeddings"]) !== undefined) return VECTORS.says(fields);
  const images = readList(fields["images"]).flatMap((image) => readText(image) ?? []);
  const parts = images.map((image) => createMedia("image", "image/png", image));
  return parts.length === 0 ? undefined : createMessages("reply", parts);
}
