import { textIn, type Fields } from "../../base/lenient.ts";
import type { FinishEvent } from "../base/events.ts";

/**
 * The failure that a whole reply of Cohere is: an object with a message that is a text.
 * Source: docs.cohere.com/reference/errors, 2026-11.
 */
export function failureIn(fields: Fields): Fields | undefined {
  return typeof fields["message"] === "string" ? fields : undefined;
}

/** The failure that stands in the place of an event: events of a stream have a type, under a name of their version. */
export function failedEvent(event: Fields, typeName: "type" | "event_type"): Fields | undefined {
  return event[typeName] === undefined ? failureIn(event) : undefined;
}

/** The end of an answer, with or without a reason. Reasons that begin with ERROR mean that it was given up. */
export function finishEvent(given: unknown): FinishEvent {
  const reason = textIn(given);
  if (reason === undefined) return { type: "finish", reason: "COMPLETE", only: "stream" };
  return { type: "finish", reason, ...(reason.startsWith("ERROR") && { isGivenUp: true }) };
}
