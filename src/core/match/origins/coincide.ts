import type { KeyedRequest } from "../../cassette/recorded-request.ts";
import { formatCanonicalRequest, normalizeRequest, type Normalizer } from "../key/key.ts";
import { listValueTexts } from "./find-values.ts";
import { findOccurrences } from "./values.ts";

/**
 * Whether a recorded request has the key of another one when the recorded values that the other one has literally count as
 * typed. So a fixture's date that happened to be the day of the recording still answers on another day.
 */
export function isCoincidence(
  recorded: KeyedRequest,
  request: KeyedRequest,
  normalize: Normalizer | undefined,
): boolean {
  if (recorded.values === undefined || recorded.body.kind !== "json" || request.body.kind !== "json")
    return false;
  const texts = [request.path, ...listValueTexts(request.body.tree)];
  const found = texts.flatMap((text) =>
    findOccurrences(text, recorded.values ?? []).map(({ start, end }) => text.slice(start, end)),
  );
  const typed = new Set(found);
  if (typed.size === 0) return false;
  const [one, other] = [recorded, request].map((each) => {
    const values = each.values?.filter(({ text }) => !typed.has(text)) ?? [];
    // Headers are compared as recordings have them, without credentials.
    return formatCanonicalRequest(normalizeRequest({ ...each, values }, normalize), () => "");
  });
  return one === other;
}
