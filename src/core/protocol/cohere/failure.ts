import type { Fields } from "../reading/lenient.ts";
import type { Projection } from "../protocol.ts";
import { failureMessage } from "../reading/reply.ts";

/**
 * The failure that a whole reply of Cohere is: an object with a message that is a text. Undefined where it is none.
 * Source: docs.cohere.com/reference/errors, 2026-11.
 */
export function cohereFailure(fields: Fields): Projection | undefined {
  return typeof fields["message"] === "string" ? { messages: [failureMessage(fields)] } : undefined;
}
