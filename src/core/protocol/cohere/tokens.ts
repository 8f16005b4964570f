import { composedJson } from "../composed.ts";
import { operationFrom } from "../operation.ts";
import type { Protocol } from "../protocol.ts";
import { replyMessage, textPart } from "../reading/parts.ts";
import { isWholeWith, replyReader } from "../reading/reply.ts";
import { plural } from "../../plural.ts";
import { factsWith, listAt, objectWith, shortLabel, textAt } from "../reading/request.ts";
import { allBut } from "../reading/settings.ts";
import { failureIn } from "./failure.ts";

const META = { api_version: { version: "1" } };

/** A text into the tokens of a model. Source: docs.cohere.com/reference/tokenize, 2026-11. */
export const cohereTokenize: Protocol = operationFrom({
  operation: "tokenize",
  path: "/v1/tokenize",
  body: objectWith("A tokenizer", "text"),
  facts: (body) => factsWith(body, shortLabel(textAt(body, "text") ?? "") || "text to cut"),
  messages: (body) => [{ role: "to cut into tokens", parts: [textPart(textAt(body, "text") ?? "")] }],
  settings: allBut("model", "text"),
  project: replyReader({
    failure: (fields) => !("tokens" in fields) && failureIn(fields),
    whole: ({ tokens }) =>
      Array.isArray(tokens) ? { messages: [replyMessage(tokensText(tokens))] } : undefined,
  }),
  compose: () => composedJson({ tokens: [], token_strings: [], meta: META }),
  isWhole: isWholeWith(({ tokens }) => Array.isArray(tokens)),
});

/** Tokens of a model into their text. Source: docs.cohere.com/reference/detokenize, 2026-11. */
export const cohereDetokenize: Protocol = operationFrom({
  operation: "detokenize",
  path: "/v1/detokenize",
  body: objectWith("A tokenizer", "tokens"),
  facts: (body) => factsWith(body, `${plural(listAt(body, "tokens").length, "token")} to join`),
  messages: (body) => [{ role: "to join", parts: [textPart(tokensText(listAt(body, "tokens")))] }],
  settings: allBut("model", "tokens"),
  project: replyReader({
    failure: (fields) => !("text" in fields) && failureIn(fields),
    whole: ({ text }) =>
      typeof text === "string" ? { messages: [replyMessage(text || "an empty text")] } : undefined,
  }),
  compose: ({ text }) => composedJson({ text, meta: META }),
  isWhole: isWholeWith(({ text }) => typeof text === "string"),
});

function tokensText(tokens: readonly unknown[]): string {
  return `${plural(tokens.length, "token")}: ${tokens.map(String).join(" ")}`;
}
