import { type Fields, readFields, isText, readList } from "../../core/base/lenient.ts";
import { isKey } from "../../core/cassette/address.ts";
import type { Miss, Nearest } from "../../core/call/call.ts";
import { FINDING_KINDS, REPAIRS } from "../../core/view/finding.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { type OpenFinding, isFailure, isMissingCall, readTestRef } from "./findings-model.ts";

/** Maximum findings that are remembered, and bytes of their requests. */
const MAX_FINDINGS = 50;
const MAX_BYTES = 512 * 1024;

/** Returns the findings to restore in the next window: missing and failed calls, newest first. */
export function listLastingFindings(findings: readonly OpenFinding[]): readonly OpenFinding[] {
  return findings.filter((one) => one.kind === "missing" || isFailure(one));
}

/** Converts findings to plain JSON, without those that are too large or contain a secret. */
export function packFindings(
  findings: readonly OpenFinding[],
  holdsSecret: (text: string) => boolean,
): readonly unknown[] {
  let left = MAX_BYTES;
  return listLastingFindings(findings)
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

/** Reads stored findings. Skips invalid values. */
export function readRecalledFindings(value: unknown): readonly OpenFinding[] {
  return readList(value).flatMap((one) => findingFrom(one) ?? []);
}

type Shape = Readonly<Record<string, (value: unknown) => boolean>>;

/** Returns the members of a value that have their type; undefined if a required one has not. */
function readShape(value: unknown, required: Shape, optional: Shape = {}): Fields | undefined {
  const fields = readFields(value);
  if (!Object.entries(required).every(([name, has]) => has(fields[name]))) return undefined;
  const known = Object.entries({ ...required, ...optional }).filter(([name, has]) => has(fields[name]));
  return Object.fromEntries(known.map(([name]) => [name, fields[name]]));
}

const isNumber = (value: unknown): boolean => typeof value === "number";
const isOneOf =
  (names: readonly string[]) =>
  (value: unknown): boolean =>
    names.some((name) => name === value);
const FINDING: Shape = {
  kind: isOneOf(FINDING_KINDS),
  repair: isOneOf(REPAIRS),
  id: isText,
  label: isText,
  what: isText,
  why: isText,
  fix: isText,
  at: isNumber,
  count: isNumber,
};
const MISS: Shape = { key: isKey, provider: isText, operation: isText, label: isText, message: isText };
const DIFFERENCE: Shape = { at: isText, kind: isOneOf(["changed", "added", "removed"]), text: isText };

function findingFrom(value: unknown): OpenFinding | undefined {
  const known = readShape(value, FINDING, { brief: isText, provider: isText, key: isKey });
  if (known === undefined) return undefined;
  const { test, miss: missed } = readFields(value);
  const finding = { ...known, ...pickDefined({ test: readTestRef(test) }) } as unknown as OpenFinding;
  if (finding.kind !== "missing" && finding.kind !== "made-up") return finding;
  const miss = missFrom(missed);
  return miss && { ...finding, kind: finding.kind, miss };
}

function missFrom(value: unknown): Miss | undefined {
  const known = readShape(value, MISS, { model: isText, cacheFile: isText });
  const fields = readFields(value);
  const request = requestFrom(fields["request"]);
  if (known === undefined || request === undefined) return undefined;
  const nearest = nearestFrom(fields["nearest"]);
  return { ...known, request, ...pickDefined({ nearest }) } as unknown as Miss;
}

function requestFrom(value: unknown): Miss["request"] | undefined {
  const known = readShape(value, { method: isText, path: isText, body: isText }, { contentType: isText });
  if (known === undefined) return undefined;
  const body = new Uint8Array(Buffer.from(String(known["body"]), "base64"));
  const { headers } = readFields(value);
  const kept = Array.isArray(headers) && { headers: headers.filter(isHeader) };
  return { ...known, body, ...kept } as unknown as Miss["request"];
}

function isHeader(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every(isText);
}

function nearestFrom(value: unknown): Nearest | undefined {
  const known = readShape(value, {
    entry: isText,
    key: isKey,
    recordedAt: isText,
    differences: Array.isArray,
  });
  const differences = readList(readFields(value)["differences"]).flatMap(
    (one) => readShape(one, DIFFERENCE, { recorded: isText, asked: isText }) ?? [],
  );
  return known && ({ ...known, differences } as unknown as Nearest);
}

/** Whether two lists contain the same findings with the same times. */
export function areSameFindings(one: readonly OpenFinding[], other: readonly OpenFinding[]): boolean {
  return (
    one.length === other.length && one.every(({ id, at }, i) => id === other[i]?.id && at === other[i]?.at)
  );
}
