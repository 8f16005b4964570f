import { fieldsOf, isText, listOf } from "../../core/protocol/reading/lenient.ts";
import { isKey } from "../../core/cassette/address.ts";
import type { Difference, Miss, Nearest } from "../../core/call.ts";
import { pickDefined } from "../../core/pick-defined.ts";
import { testRefFrom } from "./test-ref-model.ts";
import type { MissingCall } from "./missing-calls-model.ts";
import { FINDING_KINDS, REPAIRS, type Finding } from "../../core/finding.ts";

/** The calls of a folder that have no recording yet, newest first. */
export interface OpenCalls {
  readonly missing: readonly MissingCall[];
  readonly troubles: readonly Finding[];
}

/** So many of the newest missing calls are remembered, and so much of their requests. */
const MAX_CALLS = 50;
const MAX_BYTES = 512 * 1024;

/** Open calls as plain JSON. A call that is too large to remember, or that holds a secret, is left out. */
export function packOpenCalls(
  { missing, troubles }: OpenCalls,
  holdsSecret: (text: string) => boolean,
): { readonly missing: readonly unknown[]; readonly troubles: readonly unknown[] } {
  return {
    missing: packMissing(missing, holdsSecret),
    troubles: troubles.slice(0, MAX_CALLS).filter((one) => !holdsSecret(JSON.stringify(one))),
  };
}

function packMissing(
  missing: readonly MissingCall[],
  holdsSecret: (text: string) => boolean,
): readonly unknown[] {
  let left = MAX_BYTES;
  return missing.slice(0, MAX_CALLS).flatMap((call) => {
    const { miss } = call;
    left -= miss.request.body.byteLength;
    const text = Buffer.from(miss.request.body).toString("utf8");
    if (left < 0 || holdsSecret(`${JSON.stringify(call)}\n${text}`)) return [];
    const body = Buffer.from(miss.request.body).toString("base64");
    return [{ ...call, miss: { ...miss, request: { ...miss.request, body } } }];
  });
}

/** Reads what was remembered; what is no open call is passed over. */
export function recalledOpenCalls(value: unknown): OpenCalls {
  const { missing, troubles } = fieldsOf(value);
  return {
    missing: listOf(missing).flatMap((one) => callFrom(one) ?? []),
    troubles: listOf(troubles).flatMap((one) => troubleFrom(one) ?? []),
  };
}

function troubleFrom(value: unknown): Finding | undefined {
  const { id, label, what, why, fix, at, count, brief, provider, key, ...rest } = fieldsOf(value);
  const kind = FINDING_KINDS.find((one) => one === rest["kind"]);
  const repair = REPAIRS.find((one) => one === rest["repair"]);
  if (kind === undefined || repair === undefined || typeof at !== "number" || typeof count !== "number")
    return undefined;
  if (!isText(id) || !isText(label) || !isText(what) || !isText(why) || !isText(fix)) return undefined;
  const test = testRefFrom(rest["test"]);
  const texts = { ...(isText(brief) && { brief }), ...(isText(provider) && { provider }) };
  return {
    id,
    kind,
    label,
    what,
    why,
    fix,
    repair,
    at,
    count,
    ...texts,
    ...(isKey(key) && { key }),
    ...pickDefined({ test }),
  };
}

function callFrom(value: unknown): MissingCall | undefined {
  const { id, at, count, miss: missed, test: asking } = fieldsOf(value);
  const miss = missFrom(missed);
  if (!isText(id) || typeof at !== "number" || typeof count !== "number" || !miss) return undefined;
  const test = testRefFrom(asking);
  return { id, at, count, miss, ...pickDefined({ test }) };
}

function missFrom(value: unknown): Miss | undefined {
  const { key, provider, operation, model, label, message, cacheFile, ...rest } = fieldsOf(value);
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
    ...(isText(cacheFile) && { cacheFile }),
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

/** Whether two are of the same calls, as often made. */
export function isSameOpenCalls(one: OpenCalls, other: OpenCalls): boolean {
  return isSameList(one.missing, other.missing) && isSameList(one.troubles, other.troubles);
}

type Told = Pick<MissingCall, "id" | "at">;

function isSameList(one: readonly Told[], other: readonly Told[]): boolean {
  return (
    one.length === other.length && one.every(({ id, at }, i) => id === other[i]?.id && at === other[i]?.at)
  );
}
