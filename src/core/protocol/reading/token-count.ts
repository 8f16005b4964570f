import { bytesOf } from "../../wire/text.ts";
import { countIn, type Fields } from "./lenient.ts";
import type { Projection } from "../protocol.ts";
import { failureMessage, projectJson, type Reply } from "./reply.ts";
import { counted } from "./request.ts";

/** The reading of a reply that counts the tokens of a request: `{"input_tokens": 21}`. */
export function projectTokenCount(reply: Reply): Projection {
  return projectJson(reply, readTokenCount);
}

function readTokenCount(fields: Fields): Projection | undefined {
  if (fields["error"]) return { messages: [failureMessage(fields["error"])] };
  const count = countIn(fields["input_tokens"]);
  if (count === undefined) return undefined;
  return { messages: [{ role: "reply", parts: [{ type: "text", text: counted(count, "input token") }] }] };
}

/** A count of nothing: how a provider counts is not known here. */
export function composeTokenCount(object?: string): { contentType: string; body: Uint8Array } {
  const reply = { ...(object !== undefined && { object }), input_tokens: 0 };
  return { contentType: "application/json", body: bytesOf(JSON.stringify(reply)) };
}
