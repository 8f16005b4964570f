import { textOf } from "../../../wire/text.ts";
import { cohereFailure } from "../failure.ts";
import { composedJson } from "../../composed.ts";
import { fieldsOf, jsonIn, listOf, textIn, type Fields } from "../../reading/lenient.ts";
import type { Part, Projection, Protocol, ProtocolRequest } from "../../protocol.ts";
import { projectJson, type Reply } from "../../reading/reply.ts";
import { counted, factsWith, objectBody, shortLabel, valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";
import type { JsonObject } from "../../../json/json-tree.ts";

/** A text into the tokens of a model. Source: docs.cohere.com/reference/tokenize, 2026-11. */
export const cohereTokenize: Protocol = {
  operation: "tokenize",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/v1/tokenize"),
  facts: (request) => {
    const text = textIn(valueAt(bodyOf(request, "text"), "text")) ?? "";
    return { ...factsWith(bodyOf(request, "text"), shortLabel(text) || "text to cut"), streaming: false };
  },
  conversation: (request) => {
    const body = bodyOf(request, "text");
    const text = textIn(valueAt(body, "text")) ?? "";
    return {
      messages: [{ role: "to cut into tokens", parts: [{ type: "text", text }] }],
      settings: settingsOf(body, ["model", "text"]),
    };
  },
  project: (reply) => projectWith(reply, (fields) => tokensText(fields["tokens"])),
  compose: () => composedJson({ tokens: [], token_strings: [], meta: META }),
  isWhole: (body) => Array.isArray(fieldsOf(jsonIn(textOf(body)))["tokens"]),
};

/** Tokens of a model into their text. Source: docs.cohere.com/reference/detokenize, 2026-11. */
export const cohereDetokenize: Protocol = {
  operation: "detokenize",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/v1/detokenize"),
  facts: (request) => {
    const body = bodyOf(request, "tokens");
    const label = counted(listOf(valueAt(body, "tokens")).length, "token");
    return { ...factsWith(body, `${label} to join`), streaming: false };
  },
  conversation: (request) => {
    const body = bodyOf(request, "tokens");
    const part: Part = { type: "text", text: tokensText(valueAt(body, "tokens")) ?? "" };
    return {
      messages: [{ role: "to join", parts: [part] }],
      settings: settingsOf(body, ["model", "tokens"]),
    };
  },
  project: (reply) =>
    projectWith(reply, ({ text }) => (typeof text === "string" ? text || "an empty text" : undefined)),
  compose: (draft) => composedJson({ text: draft.text, meta: META }),
  isWhole: (body) => typeof fieldsOf(jsonIn(textOf(body)))["text"] === "string",
};

const META = { api_version: { version: "1" } };

function bodyOf(request: ProtocolRequest, needed: string): JsonObject {
  return objectBody(request, { operation: "A tokenizer", needs: [needed] });
}

function tokensText(tokens: unknown): string | undefined {
  if (!Array.isArray(tokens)) return undefined;
  return `${counted(tokens.length, "token")}: ${tokens.map(String).join(" ")}`;
}

function projectWith(reply: Reply, wordsOf: (fields: Fields) => string | undefined): Projection {
  return projectJson(reply, (fields) => {
    const text = wordsOf(fields);
    if (text === undefined) return cohereFailure(fields);
    return { messages: [{ role: "reply", parts: [{ type: "text", text }] }] };
  });
}
