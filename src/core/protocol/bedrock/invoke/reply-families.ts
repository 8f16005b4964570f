import { projectMessage } from "../../anthropic/messages/project.ts";
import { projectOutput } from "../converse/project.ts";
import { projectCohereEmbedded } from "../../cohere/embed/protocol.ts";
import { countIn, fieldsOf, isFields, listOf, present, textIn, type Fields } from "../../reading/lenient.ts";
import { mediaFrom } from "../../reading/media.ts";
import { projectChat } from "../../openai/chat/project.ts";
import type { Projection } from "../../protocol.ts";
import type { Reply } from "../../reading/reply.ts";
import { vectorWords } from "../../reading/vectors.ts";

/**
 * What a model answers to invoke is its maker's affair: each family is known by its members.
 * Source: docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html, 2026-11.
 */
export function projectFamily(fields: Fields, reply: Reply): Projection | undefined {
  if (fields["type"] === "message" && Array.isArray(fields["content"])) return projectMessage(reply);
  if (isFields(fieldsOf(fields["output"])["message"])) return projectOutput(fields);
  if (isFields(fieldsOf(listOf(fields["choices"])[0])["message"])) return projectChat(reply);
  const simple = simpleText(fields);
  if (simple !== undefined) return simpleProjection(simple);
  return projectVectors(fields, reply) ?? projectPictures(fields);
}

/** A completion that is one text. */
export interface SimpleText {
  readonly text: string;
  readonly reason?: string | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

/** Llama's `generation`, Mistral's `outputs`, Titan's `results` (in a stream `outputText`), `choices` with a text. */
export function simpleText(fields: Fields): SimpleText | undefined {
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

export function simpleProjection({ text, reason, inputTokens, outputTokens }: SimpleText): Projection {
  const counted = inputTokens !== undefined || outputTokens !== undefined;
  return present({
    messages: [
      { role: "assistant", parts: text === "" ? [] : [{ type: "text" as const, text }] },
    ] as Projection["messages"],
    usage: counted ? present({ inputTokens, outputTokens }) : undefined,
    finishReason: reason,
  });
}

/** Titan's one vector, Cohere's lists, Nova's list of vectors with their type. */
function projectVectors(fields: Fields, reply: Reply): Projection | undefined {
  const { embedding, embeddings } = fields;
  const typed = listOf(embeddings).map((one) => fieldsOf(one)["embedding"]);
  const vectors = Array.isArray(embedding) ? [embedding] : typed.every(Array.isArray) ? typed : [];
  if (vectors.length === 0) {
    return embeddings === undefined ? undefined : projectCohereEmbedded(reply);
  }
  const inputTokens = countIn(fields["inputTextTokenCount"]);
  return present({
    messages: [
      {
        role: "reply",
        parts: [{ type: "text" as const, text: vectorWords(vectors.map((one) => listOf(one).length)) }],
      },
    ],
    usage: inputTokens === undefined ? undefined : { inputTokens },
  });
}

function projectPictures(fields: Fields): Projection | undefined {
  const images = listOf(fields["images"]).flatMap((image) => textIn(image) ?? []);
  if (images.length === 0) return undefined;
  return {
    messages: [{ role: "reply", parts: images.map((image) => mediaFrom("image", "image/png", image)) }],
  };
}
