import { fieldsOf, isText, listOf } from "../../core/base/lenient.ts";
import { isKey } from "../../core/cassette/address.ts";
import type { Difference, Miss, Nearest } from "../../core/call/call.ts";
import { FINDING_KINDS, REPAIRS } from "../../core/view/finding.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { type OpenFinding, isFailure, isMissingCall, testRefFrom } from "./findings-model.ts";

/** Maximum findings that are remembered, and bytes of their requests. */
const MAX_FINDINGS = 50;
const MAX_BYTES = 512 * 1024;

/** Returns the findings to restore in the next window: missing and failed calls, newest first. */
export function lasting(findings: readonly OpenFinding[]): readonly OpenFinding[] {
  return findings.filter((one) => one.kind === "missing" || isFailure(one));
}

/** Findings as plain JSON. One that is too large to remember, or that holds a secret, is left out. */
export function packFindings(
  findings: readonly OpenFinding[],
  holdsSecret: (text: string) => boolean,
): readonly unknown[] {
  let left = MAX_BYTES;
  return lasting(findings)
    .slice(0, MAX_FINDINGS)
    .flatMap((finding): unknown[] => {
      if (!isMissingCall(finding)) return holdsSecret(JSON.stringify(finding)) ? [] : [finding];
      const { miss } = finding;
      left -= miss.request.body.byteLength;
      const text = Buffer.from(miss.request.body).toString("utf8");
      if (left < 0 || holdsSecret(`${JSON.stringify(finding)}\n${text}`)) return [];
      const body = Buffer.from(miss.request.body).toString("base64");
      return [{ ...finding, miss: { ...miss, request: { ...miss.request, body } } }];
    });
}

/** Reads what was remembered; what is no finding is passed over. */
export function recalledFindings(value: unknown): readonly OpenFinding[] {
  return listOf(value).flatMap((one) => findingFrom(one) ?? []);
}

function findingFrom(value: unknown): OpenFinding | undefined {
  const { id, label, what, why, fix, at, count, brief, provider, key, ...rest } = fieldsOf(value);
  const kind = FINDING_KINDS.find((one) => one === rest["kind"]);
  const repair = REPAIRS.find((one) => one === rest["repair"]);
  if (kind === undefined || repair === undefined || typeof at !== "number" || typeof count !== "number")
    return undefined;
  if (!isText(id) || !isText(label) || !isText(what) || !isText(why) || !isText(fix)) return undefined;
  const finding = {
    id,
    label,
    what,
    why,
    fix,
    repair,
    at,
    count,
    ...(isText(brief) && { brief }),
    ...(isText(provider) && { provider }),
    ...(isKey(key) && { key }),
    ...pickDefined({ test: testRefFrom(rest["test"]) }),
  };
  if (kind !== "missing" && kind !== "made-up") return { ...finding, kind };
  const miss = missFrom(rest["miss"]);
  return miss && { ...finding, kind, miss };
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

/** Whether two lists are of the same findings, found equally often. */
export function areSameFindings(one: readonly OpenFinding[], other: readonly OpenFinding[]): boolean {
  return (
    one.length === other.length && one.every(({ id, at }, i) => id === other[i]?.id && at === other[i]?.at)
  );
}
