import { readText, type Fields } from "../../base/lenient.ts";
import type { FinishEvent } from "../base/events.ts";

/**
 * Returns the failure in a whole reply of Cohere: an object with a message.
 * Source: docs.cohere.com/reference/errors, 2026-11.
 */
export function readCohereFailure(fields: Fields): Fields | undefined {
  return typeof fields["message"] === "string" ? fields : undefined;
}

/** Returns a failure in place of an event. Events have a type, in a member that depends on the API version. */
export function readFailedEvent(event: Fields, typeName: "type" | "event_type"): Fields | undefined {
  return event[typeName] === undefined ? readCohereFailure(event) : undefined;
}

/** Makes the event for the end of an answer. Reasons that start with ERROR mean that it was aborted. */
export function finishEvent(given: unknown): FinishEvent {
  const reason = readText(given);
  if (reason === undefined) return { type: "finish", reason: "COMPLETE", only: "stream" };
  return { type: "finish", reason, ...(reason.startsWith("ERROR") && { isGivenUp: true }) };
}
