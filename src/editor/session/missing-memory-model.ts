import { fieldsOf, isText, listOf } from "../../core/protocol/reading/lenient.ts";
import { isKey } from "../../core/cassette/address.ts";
import type { Difference, Miss, Nearest } from "../../core/call.ts";
import { pickDefined } from "../../core/pick-defined.ts";
import { testRefFrom } from "./test-ref-model.ts";
import type { MissingCall } from "./missing-calls-model.ts";

/** So many of the newest missing calls are remembered, and so much of their requests. */
const MAX_CALLS = 50;
const MAX_BYTES = 512 * 1024;

/** Missing calls as plain JSON, newest first, for the next window. What is too large to remember is left out. */
export function packMissing(missing: readonly MissingCall[]): readonly unknown[] {
  let left = MAX_BYTES;
  return missing.slice(0, MAX_CALLS).flatMap((call) => {
    left -= call.miss.request.body.byteLength;
    if (left < 0) return [];
    const { miss } = call;
    const body = Buffer.from(miss.request.body).toString("base64");
    return [{ ...call, miss: { ...miss, request: { ...miss.request, body } } }];
  });
}

/** Reads what was remembered; what is no missing call is passed over. */
export function recalledMissing(value: unknown): readonly MissingCall[] {
  return listOf(value).flatMap((one) => callFrom(one) ?? []);
}

function callFrom(value: unknown): MissingCall | undefined {
  const { id, at, count, miss: missed, test: asking } = fieldsOf(value);
  const miss = missFrom(missed);
  if (!isText(id) || typeof at !== "number" || typeof count !== "number" || !miss) return undefined;
  const test = testRefFrom(asking);
  return { id, at, count, miss, ...pickDefined({ test }) };
}

function missFrom(value: unknown): Miss | undefined {
  const { key, provider, operation, model, label, message, ...rest } = fieldsOf(value);
  const request = requestFrom(rest["request"]);
  if (!isKey(key) || !isText(provider) || !isText(operation) || !isText(label) || !isText(message))
    return undefined;
  if (request === undefined) return undefined;
  const nearest = nearestFrom(rest["nearest"]);
  return {
    key,
    provider,
    operation,
    label,
    message,
    request,
    ...(isText(model) && { model }),
    ...pickDefined({ nearest }),
  };
}

function requestFrom(value: unknown): Miss["request"] | undefined {
  const { method, path, body, contentType, headers } = fieldsOf(value);
  if (!isText(method) || !isText(path) || !isText(body)) return undefined;
  const bytes = new Uint8Array(Buffer.from(body, "base64"));
  return {
    method,
    path,
    body: bytes,
    ...(isText(contentType) && { contentType }),
    ...(Array.isArray(headers) && { headers: headers.filter(isHeader) }),
  };
}

function isHeader(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every(isText);
}

function nearestFrom(value: unknown): Nearest | undefined {
  const { entry, key, recordedAt, differences } = fieldsOf(value);
  if (!isText(entry) || !isKey(key) || !isText(recordedAt) || !Array.isArray(differences)) return undefined;
  return { entry, key, recordedAt, differences: differences.flatMap((one) => differenceFrom(one) ?? []) };
}

function differenceFrom(value: unknown): Difference | undefined {
  const { at, kind, recorded, asked, text } = fieldsOf(value);
  if (!isText(at) || !isText(text) || (kind !== "changed" && kind !== "added" && kind !== "removed"))
    return undefined;
  return { at, kind, text, ...(isText(recorded) && { recorded }), ...(isText(asked) && { asked }) };
}

/** Whether two lists are of the same calls, as often asked. */
export function isSameMissing(one: readonly MissingCall[], other: readonly MissingCall[]): boolean {
  return (
    one.length === other.length && one.every(({ id, at }, i) => id === other[i]?.id && at === other[i]?.at)
  );
}
