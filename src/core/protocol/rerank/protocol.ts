import type { JsonObject } from "../../json/json-tree.ts";
import { textOf } from "../../wire/text.ts";
import { composedJson } from "../composed.ts";
import {
  countIn,
  fieldsOf,
  jsonIn,
  jsonText,
  listOf,
  present,
  textIn,
  type Fields,
} from "../reading/lenient.ts";
import type { Message, Projection, Protocol, ProtocolRequest, Usage } from "../protocol.ts";
import { failureMessage, projectJson } from "../reading/reply.ts";
import { counted, factsWith, objectBody, shortLabel, valueAt } from "../reading/request.ts";
import { settingsOf } from "../reading/settings.ts";
import { toldCost } from "../reading/told-cost.ts";

/**
 * Documents in the order in which they answer a question. Cohere's wire, which Together, OpenRouter and servers of open
 * models speak as well. Sources: cohere-python `v2/raw_client`, together-python `resources/rerank`, openrouter
 * typescript-sdk `funcs/rerank`, 2026-11.
 */
export const rerank: Protocol = {
  operation: "rerank",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/rerank"),
  facts: (request) => {
    const body = bodyOf(request);
    const documents = counted(listOf(valueAt(body, "documents")).length, "document");
    const query = textIn(valueAt(body, "query"));
    return {
      ...factsWith(body, query === undefined ? `${documents} to rank` : shortLabel(query)),
      streaming: false,
    };
  },
  conversation: (request) => {
    const body = bodyOf(request);
    return {
      messages: [
        { role: "user", parts: [{ type: "text", text: textIn(valueAt(body, "query")) ?? "" }] },
        { role: "to rank", parts: listOf(valueAt(body, "documents")).map(documentPart) },
      ],
      settings: settingsOf(body, ["model", "query", "documents"]),
    };
  },
  project: (reply) => projectJson(reply, readRanked),
  compose: (_draft, request) => composedJson(inGivenOrder(bodyOf(request))),
  isWhole: (body) => Array.isArray(fieldsOf(jsonIn(textOf(body)))["results"]),
};

function bodyOf(request: ProtocolRequest): JsonObject {
  return objectBody(request, { operation: "A ranking", needs: ["query", "documents"] });
}

/** A text, or an object of which Cohere's first version reads `text`. */
function documentPart(document: unknown): Message["parts"][number] {
  const text = typeof document === "string" ? document : textIn(fieldsOf(document)["text"]);
  return { type: "text", text: text ?? jsonText(document) };
}

function readRanked(fields: Fields): Projection | undefined {
  if (!Array.isArray(fields["results"])) return refused(fields);
  const lines = fields["results"].map(rankLine);
  return present({
    messages: [{ role: "reply", parts: [{ type: "text" as const, text: lines.join("\n") || "nothing" }] }],
    usage: usageFrom(fields),
    model: textIn(fields["model"]),
  });
}

function refused(fields: Fields): Projection | undefined {
  const error = fields["error"] ?? (typeof fields["message"] === "string" ? fields : undefined);
  return error ? { messages: [failureMessage(error)] } : undefined;
}

/** "document 3: 0.999", with the document where it was asked to be returned. */
function rankLine(result: unknown): string {
  const { index, relevance_score: score, document } = fieldsOf(result);
  const text = textIn(document) ?? textIn(fieldsOf(document)["text"]);
  const said = text === undefined ? "" : ` ${shortLabel(text)}`;
  return `document ${String(index)}: ${typeof score === "number" ? String(score) : "?"}${said}`;
}

/** Together counts as OpenAI does, Cohere under `meta`, by searches and by tokens. */
function usageFrom(fields: Fields): Usage | undefined {
  const usage = fieldsOf(fields["usage"]);
  const meta = fieldsOf(fields["meta"]);
  const told = present({
    inputTokens:
      countIn(usage["prompt_tokens"]) ??
      countIn(usage["total_tokens"]) ??
      countIn(fieldsOf(meta["tokens"])["input_tokens"]),
    costUsd: toldCost(usage),
  });
  return Object.keys(told).length === 0 ? undefined : told;
}

function inGivenOrder(body: JsonObject): object {
  const documents = listOf(valueAt(body, "documents"));
  const most = countIn(valueAt(body, "top_n")) ?? documents.length;
  const results = documents.slice(0, most).map((_, index) => ({ index, relevance_score: 0 }));
  const model = textIn(valueAt(body, "model"));
  return { id: "tapedeck", object: "rerank", ...(model !== undefined && { model }), results };
}
