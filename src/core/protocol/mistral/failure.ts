import type { Fields } from "../../base/lenient.ts";

/**
 * The failure that a whole reply of Mistral is, under `error` or without an envelope.
 * Source: docs.mistral.ai/api, 2026-11.
 */
export function failureIn(fields: Fields): unknown {
  return fields["error"] ?? (fields["object"] === "error" ? fields : undefined);
}
