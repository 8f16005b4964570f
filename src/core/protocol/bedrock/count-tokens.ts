import { decodeBase64 } from "../../cassette/base64.ts";
import { jsonOrNone } from "../../json/json-parse.ts";
import { isJsonObject, member, type JsonObject, type JsonTree } from "../../json/json-tree.ts";
import { textOf } from "../../wire/text.ts";
import { composedJson } from "../composed.ts";
import { bedrockAddress } from "../model-address.ts";
import { operationFrom } from "../operation.ts";
import type { Protocol } from "../protocol.ts";
import { objectWith } from "../reading/request.ts";
import { countReader } from "../reading/token-count.ts";
import { readInvoked } from "./invoke/request-families.ts";
import { wholeFailure } from "./message.ts";

/**
 * Counting the tokens of a converse or an invoke.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html, 2026-11.
 */
export const bedrockCountTokens: Protocol = operationFrom({
  operation: "count-tokens",
  path: bedrockAddress.pathOf("count-tokens"),
  body: (request) => {
    const model = bedrockAddress.modelIn(request.path);
    return { model, ...readInvoked(countedIn(readBody(request)), model ?? "") };
  },
  facts: ({ model, label }) => ({ model, streaming: false, label: `tokens of ${label}` }),
  messages: ({ messages }) => messages(),
  settings: ({ settings }) => settings(),
  project: countReader("inputTokens", wholeFailure),
  compose: () => composedJson({ inputTokens: 0 }),
});

const readBody = objectWith("Counting tokens", "input");

/** What is to be counted: a converse request, or the body of an invoke as base64. */
function countedIn(body: JsonObject): JsonObject {
  const input = member(body, "input");
  const encoded = member(member(input, "invokeModel"), "body");
  const inner = typeof encoded === "string" ? invokedIn(encoded) : member(input, "converse");
  return inner !== undefined && isJsonObject(inner) ? inner : body;
}

function invokedIn(base64: string): JsonTree | undefined {
  const bytes = decodeBase64(base64);
  return bytes && jsonOrNone(textOf(bytes));
}
