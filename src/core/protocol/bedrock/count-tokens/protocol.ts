import { decodeBase64 } from "../../../cassette/base64.ts";
import { jsonOrNone } from "../../../json/json-parse.ts";
import { isJsonObject, member, type JsonTree } from "../../../json/json-tree.ts";
import { textOf } from "../../../wire/text.ts";
import { bedrockAddress } from "../address.ts";
import { readInvoked, type InvokeReading } from "../invoke/request-families.ts";
import { wholeFailure } from "../failure.ts";
import { composedJson } from "../../composed.ts";
import { countIn } from "../../reading/lenient.ts";
import type { Protocol, ProtocolRequest } from "../../protocol.ts";
import { isWholeJson, projectJson } from "../../reading/reply.ts";
import { counted, objectBody } from "../../reading/request.ts";

/**
 * Counting the tokens of a converse or an invoke.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html, 2026-11.
 */
export const bedrockCountTokens: Protocol = {
  operation: "count-tokens",
  accepts: (method, pathname) => bedrockAddress.accepts(method, pathname, "count-tokens"),
  facts: (request) => {
    const model = bedrockAddress.modelIn(request.path);
    const { label } = countedIn(request);
    return { ...(model !== undefined && { model }), streaming: false, label: `tokens of ${label}` };
  },
  conversation: (request) => countedIn(request).conversation(),
  project: (reply) =>
    projectJson(reply, (fields) => {
      const failure = wholeFailure(fields, reply.status);
      if (failure !== undefined) return { messages: [failure] };
      const inputTokens = countIn(fields["inputTokens"]);
      if (inputTokens === undefined) return undefined;
      const parts = [{ type: "text", text: counted(inputTokens, "token") }] as const;
      return { messages: [{ role: "reply", parts }], usage: { inputTokens } };
    }),
  compose: (_draft, request) => {
    countedIn(request);
    return composedJson({ inputTokens: 0 });
  },
  isWhole: isWholeJson,
};

/** What is to be counted: a converse request, or the body of an invoke as base64. */
function countedIn(request: ProtocolRequest): InvokeReading {
  const body = objectBody(request, { operation: "Counting tokens", needs: ["input"] });
  const input = member(body, "input");
  const encoded = member(member(input, "invokeModel"), "body");
  const inner = typeof encoded === "string" ? invokedIn(encoded) : member(input, "converse");
  const asked = inner !== undefined && isJsonObject(inner) ? inner : body;
  return readInvoked(asked, bedrockAddress.modelIn(request.path) ?? "");
}

function invokedIn(base64: string): JsonTree | undefined {
  const bytes = decodeBase64(base64);
  return bytes && jsonOrNone(textOf(bytes));
}
