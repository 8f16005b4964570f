import { readFrame } from "../../../wire/sse.ts";
import { fieldsOf, jsonIn, listOf, textIn } from "../../reading/lenient.ts";
import type { StreamRules } from "../../protocol.ts";

/**
 * A stream says with a `finishReason` (or a blocked prompt) that it comes to its end; chunks with grounding or usage
 * may follow, so that only the end of the body ends it. With `alt=sse` it is server-sent events, else one JSON array,
 * which is whole with its closing bracket. A failure is a chunk with `error`.
 * Source: ai.google.dev/api/generate-content#v1beta.models.streamGenerateContent, 2026-11.
 */
export const geminiStream: StreamRules = {
  isTerminal: (event) => (isElement(event) ? event.trimEnd().endsWith("]") : isLast(dataOf(event))),
  endsWithBody: true,
  inJson: "array",
  isError: (event) => Boolean(fieldsOf(jsonIn(isElement(event) ? elementOf(event) : dataOf(event)))["error"]),
  // The reason may stand anywhere in a chunk; an element of the array is followed by its bracket.
  mayBeTerminal: (beginning) => !isElement(beginning) || /^\s*\[?\s*(?:\]|$)/.test(beginning),
};

/** A piece of the array: with the bracket or the comma before it. */
function isElement(event: string): boolean {
  return /^\s*(?:[[\],{]|$)/.test(event);
}

function elementOf(event: string): string {
  return event.replace(/^\s*[[,]?/, "").replace(/\]\s*$/, "");
}

function dataOf(frame: string): string {
  return readFrame(frame).data ?? "";
}

function isLast(data: string): boolean {
  if (!/"(?:finish|block)Reason"/.test(data)) return false;
  const fields = fieldsOf(jsonIn(data));
  const finished = listOf(fields["candidates"]).some((one) => textIn(fieldsOf(one)["finishReason"]));
  return finished || textIn(fieldsOf(fields["promptFeedback"])["blockReason"]) !== undefined;
}
