import { localize } from "../../base/localize.ts";
import { attempt } from "../../base/errors.ts";
import type { Difference, WireHeaders } from "../../call/call.ts";
import { isCredentialPair, type RequestHeaders } from "../../cassette/recorded-request.ts";
import { listKeyHeaders, normalizeAddress, listQueryPairs, type NormalizedAddress } from "../key/key.ts";
import { readParts, type MultipartPart, type RequestBody } from "../../base/read-body.ts";
import { decodePlainUtf8, decodeText } from "../../base/wire/text.ts";
import { compareTrees } from "./compare-json.ts";
import { compareTexts } from "./compare-text.ts";
import {
  describeDifference,
  excerpt,
  getLabel,
  mergeNames,
  quoteExcerpt,
  ROOT,
  type DifferencePlace,
  type Report,
} from "./wording.ts";
import { localizeCount, formatSize } from "../../base/plural.ts";

/** Maximum number of differences that are listed; more are counted. */
const LISTED = 20;
/** Characters of a header's or parameter's value that are shown. */
const LONGEST = 120;

/** The parts of a request that are compared. Provider and operation are the same. */
export interface ComparedRequest extends RequestHeaders {
  readonly provider: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: RequestBody;
}

/**
 * Returns what changes the recorded request into the new one: method, path, query, headers, then the body in wire order.
 * Lists at most 20 differences, and one more with the number of the others. Empty if and only if both have the same key.
 * Values are cut to about 120 characters around the difference; base64 and data URLs are named, never shown.
 */
export function listDifferences(recorded: ComparedRequest, asked: ComparedRequest): readonly Difference[] {
  const listed: Difference[] = [];
  let count = 0;
  const report: Report = (difference) => {
    count += 1;
    if (count <= LISTED) listed.push(difference());
  };
  compareMethods(recorded.method.toUpperCase(), asked.method.toUpperCase(), report);
  const [before, after] = [recorded, asked].map(({ path, provider }) => normalizeAddress(path, provider));
  if (before && after) compareAddresses(before, after, report);
  // Headers of the recording are unknown here, so none is known to differ.
  if (recorded.headers !== undefined) compareHeaders(listKeyHeaders(recorded), listKeyHeaders(asked), report);
  compareBodies(recorded.body, asked.body, report);
  if (count <= LISTED) return listed;
  return [...listed, { at: "", kind: "changed", text: localize("and {0} more", count - LISTED) }];
}

function compareMethods(recorded: string, asked: string, report: Report): void {
  if (recorded === asked) return;
  report(() => describeDifference({ at: "method", label: localize("method"), recorded, asked }));
}

function compareAddresses(before: NormalizedAddress, after: NormalizedAddress, report: Report): void {
  if (before.path !== after.path) {
    report(() => {
      const [recorded, asked] = excerpt(before.path, after.path) ?? [
        localize("one path"),
        localize("another path"),
      ];
      return describeDifference({ at: "path", label: localize("path"), recorded, asked });
    });
  }
  if (before.query !== after.query) compareQueries(before.query, after.query, report);
}

function compareQueries(recorded: string, asked: string, report: Report): void {
  const [before, after] = [valuesByName(recorded), valuesByName(asked)];
  // `a` and `a=` are two queries with the same names and values.
  if (comparePairs("query", [before, after], report) === 0)
    report(() => pairDifference(["query", localize("as a whole")], recorded, asked));
}

function compareHeaders(recorded: WireHeaders, asked: WireHeaders, report: Report): void {
  comparePairs("header", [new Map(recorded), new Map(asked)], report);
}

type Values = ReadonlyMap<string, string>;

/** Returns the number of differences. */
function comparePairs(at: At, [before, after]: readonly [Values, Values], report: Report): number {
  const names = mergeNames([...before.keys()], [...after.keys()]).filter(
    (name) => before.get(name) !== after.get(name),
  );
  for (const name of names) report(() => pairDifference([at, name], before.get(name), after.get(name)));
  return names.length;
}

/** Joins the values of a repeated name. */
function valuesByName(query: string): Values {
  const values = new Map<string, string>();
  for (const [name, value] of listQueryPairs(query)) {
    const others = values.get(name);
    values.set(name, others === undefined ? value : `${others}&${value}`);
  }
  return values;
}

type At = "query" | "header";

function pairDifference(
  [at, name]: readonly [At, string],
  recorded: string | undefined,
  asked: string | undefined,
): Difference {
  const label = at === "query" ? localize("query {0}", name) : localize("header {0}", name);
  if (at === "query" && [recorded, asked].some((value) => isCredentialPair(`${name}=${value ?? ""}`))) {
    const kind = recorded === undefined ? "added" : asked === undefined ? "removed" : "changed";
    return { at, kind, text: hiddenChangeText(label, kind) };
  }
  const [before, after] =
    recorded === undefined || asked === undefined
      ? [recorded?.slice(0, LONGEST), asked?.slice(0, LONGEST)]
      : (excerpt(recorded, asked) ?? [localize("one value"), localize("another value")]);
  return describeDifference({ at, label, recorded: before, asked: after });
}

function hiddenChangeText(label: string, kind: Difference["kind"]): string {
  switch (kind) {
    case "added":
      return localize("{0} added (its value may be a credential)", label);
    case "removed":
      return localize("{0} removed (its value may be a credential)", label);
    case "changed":
    default:
      return localize("{0} changed (its value may be a credential)", label);
  }
}

/** The place of a body that is not JSON. */
const WHOLE = { at: "", separator: ": " };

/** Reports the differences between two bodies of any kind, unless they have the same key. */
function compareBodies(recorded: RequestBody, asked: RequestBody, report: Report): void {
  if (recorded.kind === "json" && asked.kind === "json") {
    compareTrees(recorded.tree, asked.tree, ROOT, report);
    return;
  }
  if (recorded.kind === "empty" && asked.kind === "empty") return;
  const [before, after] = [readableParts(recorded), readableParts(asked)];
  if (before !== undefined && after !== undefined) compareParts(before, after, report);
  else if (recorded.kind === "bytes" && asked.kind === "bytes" && before === after)
    compareContents([recorded.bytes, asked.bytes], ROOT, report);
  else {
    const values = { recorded: bodyText(recorded, before), asked: bodyText(asked, after) };
    report(() => describeDifference({ ...WHOLE, label: localize("body"), ...values }));
  }
}

/** Returns the parts of a multipart body; undefined for other bodies, and if the body does not match its content type. */
function readableParts(body: RequestBody): readonly MultipartPart[] | undefined {
  return attempt(
    () => readParts(body),
    () => undefined,
  );
}

function bodyText(body: RequestBody, parts: readonly MultipartPart[] | undefined): string {
  if (parts !== undefined) return localizeCount(parts.length, "multipart, {0} part", "multipart, {0} parts");
  if (body.kind !== "bytes") return body.kind === "json" ? "JSON" : localize("empty");
  return localize("{0}, not JSON", formatSize(body.bytes.byteLength));
}

function compareParts(
  recorded: readonly MultipartPart[],
  asked: readonly MultipartPart[],
  report: Report,
): void {
  const before = partsByLabel(recorded);
  const after = partsByLabel(asked);
  for (const label of mergeNames([...before.keys()], [...after.keys()])) {
    const [old, now] = [before.get(label), after.get(label)];
    if (old && now && old.filename === now.filename && old.contentType === now.contentType) {
      // Clients send texts, such as the lines of a batch, as `application/octet-stream`.
      const isData = /^(?:audio|image|video)\//.test(now.contentType ?? "");
      compareContents([old.content, now.content], { ...ROOT, label }, report, isData);
    } else
      report(() => {
        const values = { recorded: old && describePart(old), asked: now && describePart(now) };
        return describeDifference({ ...WHOLE, label, ...values });
      });
  }
  const [order, newOrder] = [before, after].map((parts) =>
    [...parts.keys()].filter((label) => before.has(label) && after.has(label)).join("\n"),
  );
  if (order !== newOrder)
    report(() => ({ at: "", kind: "changed", text: localize("parts in another order") }));
}

/** Labels parts by their names, with a number if the name is repeated or missing. */
function partsByLabel(parts: readonly MultipartPart[]): ReadonlyMap<string, MultipartPart> {
  const byLabel = new Map<string, MultipartPart>();
  const counts = new Map<string | undefined, number>();
  for (const part of parts) {
    const count = (counts.get(part.name) ?? 0) + 1;
    counts.set(part.name, count);
    const name = part.name === undefined ? localize("unnamed part") : localize('part "{0}"', part.name);
    byLabel.set(count === 1 ? name : `${name} (${count})`, part);
  }
  return byLabel;
}

function compareContents(
  contents: readonly [Uint8Array, Uint8Array],
  place: DifferencePlace,
  report: Report,
  isData = false,
): void {
  if (isSameBytes(...contents)) return;
  const [recorded, asked] = contents.map(decodePlainUtf8);
  if (!isData && recorded !== undefined && asked !== undefined && recorded !== asked)
    compareTexts(recorded, asked, place, report);
  else {
    const [before, after] = [formatSize(contents[0].byteLength), formatSize(contents[1].byteLength)];
    report(() => describeDifference({ ...WHOLE, label: getLabel(place), recorded: before, asked: after }));
  }
}

/** Describes a part: a file by its name and type, "a.mp3, audio/mpeg", and a field by its text. */
function describePart({ filename, contentType, content }: MultipartPart): string {
  const facts = [filename, contentType].filter((text) => text !== undefined).join(", ");
  return facts || quoteExcerpt(decodeText(content));
}

export function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && a.every((byte, index) => byte === b[index]);
}
