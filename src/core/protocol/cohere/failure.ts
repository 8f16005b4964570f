import type { Fields } from "../../base/lenient.ts";

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

export const isErrorReason = (reason: unknown): boolean => String(reason).startsWith("ERROR");
