import type { SseEvent } from "../../base/wire/sse.ts";
import { bytesOf } from "../../base/wire/text.ts";
import { projectMessage } from "../anthropic/reply.ts";
import { cohereEmbed, numbersIn, vectorWords } from "../table/vectors.ts";
import { projectChat } from "../openai/chat/reply.ts";
import type { Projection, Reply } from "../base/protocol.ts";
import {
  countIn,
  fieldsOf,
  isFields,
  jsonIn,
  jsonText,
  listOf,
  textIn,
  type Fields,
} from "../../base/lenient.ts";
import { mediaFrom } from "../base/media.ts";
import { messageOf, replyMessage, textParts } from "../base/parts.ts";
import { replyReader, withErrors } from "../base/reply.ts";
import { projectEvents, projectOutput } from "./converse-reply.ts";
import { failureIn, wholeFailure } from "./event-messages.ts";

export const projectInvoked = replyReader({
  failure: wholeFailure,
  whole: projectFamily,
  stream: (events) => ({
    read: projectChunks(events.filter((event) => failureIn(event) === undefined)),
    errors: events.flatMap((event) => failureIn(event) ?? []),
  }),
});

/** A chunk is what the maker's own stream would have had as an event. */
function projectChunks(chunks: readonly SseEvent[]): Projection {
  const all = chunks.map(({ data }) => fieldsOf(jsonIn(data)));
  const [first = {}] = all;
  if (first["type"] === "message_start") return projectMessage(asEvents(chunks));
  if (first["messageStart"] !== undefined) return withErrors(projectEvents(all.flatMap(namedEvent)));
  if (listOf(first["choices"]).some((choice) => "delta" in fieldsOf(choice)))
    return projectChat(asEvents(chunks));
  return joinChunks(all);
}

/** The chunks as the maker's API would send them. */
function asEvents(chunks: readonly SseEvent[]): Reply {
  const body = bytesOf(chunks.map(({ data }) => `data: ${data}\n\n`).join(""));
  return { status: 200, contentType: "text/event-stream", body };
}

/** Nova's chunks are converse's events under their names. */
function namedEvent(chunk: Fields): SseEvent[] {
  const [entry] = Object.entries(chunk);
  return entry === undefined ? [] : [{ event: entry[0], data: jsonText(entry[1]) }];
}

function joinChunks(chunks: readonly Fields[]): Projection {
  const texts = chunks.flatMap((chunk) => simpleText(chunk) ?? []);
  if (texts.length === 0) return { messages: [] };
  const whole = texts.reduce((before: SimpleText, more) => ({
    text: before.text + more.text,
    reason: more.reason ?? before.reason,
    inputTokens: more.inputTokens ?? before.inputTokens,
    outputTokens: more.outputTokens ?? before.outputTokens,
  }));
  return simpleProjection(whole);
}

/**
 * What a model answers to invoke is its maker's affair: each family is known by its members.
 * Source: docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html, 2026-11.
 */
function projectFamily(fields: Fields, reply: Reply): Projection | undefined {
  if (fields["type"] === "message" && Array.isArray(fields["content"])) return projectMessage(reply);
  if (isFields(fieldsOf(fields["output"])["message"])) return projectOutput(fields);
  if (isFields(fieldsOf(listOf(fields["choices"])[0])["message"])) return projectChat(reply);
  const simple = simpleText(fields);
  if (simple !== undefined) return simpleProjection(simple);
  return projectVectors(fields, reply) ?? projectPictures(fields);
}

/** A completion that is one text. */
interface SimpleText {
  readonly text: string;
  readonly reason?: string | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

/** Llama's `generation`, Mistral's `outputs`, Titan's `results` (in a stream `outputText`), `choices` with a text. */
function simpleText(fields: Fields): SimpleText | undefined {
  const [first] = [fields["outputs"], fields["results"], fields["choices"]].flatMap(listOf).map(fieldsOf);
  const texts = [fields["generation"], fields["outputText"], fields["completion"], first?.["text"]];
  const text = [...texts, first?.["outputText"]].find((one) => typeof one === "string");
  if (typeof text !== "string") return undefined;
  const metrics = fieldsOf(fields["amazon-bedrock-invocationMetrics"]);
  return {
    text,
    reason:
      textIn(fields["stop_reason"]) ??
      textIn(fields["completionReason"]) ??
      textIn(first?.["stop_reason"]) ??
      textIn(first?.["completionReason"]) ??
      textIn(first?.["finish_reason"]),
    inputTokens:
      countIn(metrics["inputTokenCount"]) ??
      countIn(fields["prompt_token_count"]) ??
      countIn(fields["inputTextTokenCount"]),
    outputTokens:
      countIn(metrics["outputTokenCount"]) ??
      countIn(fields["generation_token_count"]) ??
      countIn(first?.["tokenCount"]),
  };
}

function simpleProjection({ text, reason, inputTokens, outputTokens }: SimpleText): Projection {
  const isCounted = inputTokens !== undefined || outputTokens !== undefined;
  return {
    messages: [{ role: "assistant", parts: textParts(text) }],
    usage: isCounted ? { inputTokens, outputTokens } : undefined,
    finishReason: reason,
  };
}

/** Titan's one vector, Cohere's lists, Nova's list of vectors with their type. */
function projectVectors(fields: Fields, reply: Reply): Projection | undefined {
  const { embedding, embeddings } = fields;
  const typed = listOf(embeddings).map((one) => fieldsOf(one)["embedding"]);
  const vectors = Array.isArray(embedding) ? [embedding] : typed.every(Array.isArray) ? typed : [];
  if (vectors.length === 0) return embeddings === undefined ? undefined : cohereEmbed.project(reply);
  const inputTokens = countIn(fields["inputTextTokenCount"]);
  return {
    messages: [replyMessage(vectorWords(vectors.map(numbersIn)))],
    usage: inputTokens === undefined ? undefined : { inputTokens },
  };
}

function projectPictures(fields: Fields): Projection | undefined {
  const images = listOf(fields["images"]).flatMap((image) => textIn(image) ?? []);
  const parts = images.map((image) => mediaFrom("image", "image/png", image));
  return parts.length === 0 ? undefined : { messages: messageOf("reply", parts) };
}
