import { isJsonArray, member, type JsonObject } from "../../../json/json-tree.ts";
import { composedJson } from "../../composed.ts";
import { geminiAddress } from "../address.ts";
import { messageFrom } from "../generate/content.ts";
import { usageFrom } from "../generate/project.ts";
import { countIn, fieldsOf, listOf, present, type Fields } from "../../reading/lenient.ts";
import type { Conversation, Projection, Protocol, ProtocolRequest } from "../../protocol.ts";
import { failureMessage, isWholeJson, projectJson } from "../../reading/reply.ts";
import { counted, objectBody, textsAmong, valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";
import { vectorFor, vectorWords } from "../../reading/vectors.ts";

/** What `gemini-embedding-001` gives unless asked for fewer. */
const NUMBERS = 3072;

/** Embedding one content. Source: ai.google.dev/api/embeddings, 2026-11. */
export const geminiEmbed: Protocol = {
  operation: "embedContent",
  accepts: (method, pathname) => geminiAddress.accepts(method, pathname, "embedContent"),
  facts: (request) => factsOf(request, requestsIn(bodyOf(request, "content")).length),
  conversation: (request) => conversationOf(bodyOf(request, "content"), ["content", "model"]),
  project: (reply) => projectJson(reply, readEmbedded),
  compose: (_draft, request) => {
    const [values] = vectorsFor(bodyOf(request, "content"));
    return composedJson({ embedding: { values } });
  },
  isWhole: isWholeJson,
};

/** Embedding several; each request in the list is as one alone. */
export const geminiBatchEmbed: Protocol = {
  ...geminiEmbed,
  operation: "batchEmbedContents",
  accepts: (method, pathname) => geminiAddress.accepts(method, pathname, "batchEmbedContents"),
  facts: (request) => {
    const requests = member(bodyOf(request, "requests"), "requests");
    return factsOf(request, requests !== undefined && isJsonArray(requests) ? requests.length : 0);
  },
  conversation: (request) => conversationOf(bodyOf(request, "requests"), ["requests", "model"]),
  compose: (_draft, request) => {
    const embeddings = vectorsFor(bodyOf(request, "requests")).map((values) => ({ values }));
    return composedJson({ embeddings });
  },
};

function factsOf(request: ProtocolRequest, count: number): ReturnType<Protocol["facts"]> {
  const model = geminiAddress.modelIn(request.path);
  return {
    ...(model !== undefined && { model }),
    streaming: false,
    label: `${counted(count, "text")} to embed`,
  };
}

function conversationOf(body: JsonObject, shown: readonly string[]): Conversation {
  const parts = requestsIn(body).flatMap((one) => messageFrom(fieldsOf(one)["content"], "to embed").parts);
  const [first] = listOf(valueAt(body, "requests")).map(fieldsOf);
  const size = countIn(first?.["outputDimensionality"]);
  return {
    messages: [{ role: "to embed", parts }],
    settings: [
      ...(size === undefined ? [] : [["outputDimensionality", String(size)] as const]),
      ...settingsOf(body, shown),
    ],
  };
}

/** The requests of a batch, or the one request that a body is. */
function requestsIn(body: JsonObject): readonly unknown[] {
  const several = valueAt(body, "requests");
  return Array.isArray(several)
    ? listOf(several)
    : [{ content: valueAt(body, "content"), outputDimensionality: valueAt(body, "outputDimensionality") }];
}

function vectorsFor(body: JsonObject): number[][] {
  return requestsIn(body).map((one) => {
    const { content, outputDimensionality } = fieldsOf(one);
    const text = textsAmong(messageFrom(content, "user").parts).join("\n");
    return vectorFor(text, countIn(outputDimensionality), NUMBERS);
  });
}

function readEmbedded(fields: Fields): Projection | undefined {
  if (fields["error"]) return { messages: [failureMessage(fields["error"])] };
  const several =
    fields["embeddings"] ?? (fields["embedding"] === undefined ? undefined : [fields["embedding"]]);
  if (!Array.isArray(several)) return undefined;
  const sizes = listOf(several).map((one) => listOf(fieldsOf(one)["values"]).length);
  return present({
    messages: [{ role: "reply", parts: [{ type: "text" as const, text: vectorWords(sizes) }] }],
    usage: usageFrom(fields["usageMetadata"]),
  });
}

function bodyOf(request: ProtocolRequest, needs: "content" | "requests"): JsonObject {
  return objectBody(request, { operation: "Embedding", needs: [needs] });
}
