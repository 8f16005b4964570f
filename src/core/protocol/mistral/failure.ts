import type { Fields } from "../reading/lenient.ts";
import type { Projection } from "../protocol.ts";
import { failureMessage } from "../reading/reply.ts";

/**
 * The failure that a whole reply of Mistral is, under `error` or without an envelope; undefined where it is none.
 * Source: docs.mistral.ai/api, 2026-11.
 */
export function mistralFailure(fields: Fields): Projection | undefined {
  const error = fields["error"] ?? (fields["object"] === "error" ? fields : undefined);
  return error ? { messages: [failureMessage(error)] } : undefined;
}
