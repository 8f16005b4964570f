import { plainUtf8 } from "../../wire/text.ts";
import type { Difference } from "../../call.ts";
import type { RequestBody } from "../../protocol/protocol.ts";
import { compareTrees } from "./compare-json.ts";
import { compareTexts } from "./compare-text.ts";
import { mergedNames, type Report } from "./comparison.ts";
import { quoteExcerpt, sizeOf } from "./excerpt.ts";
import { isMultipart, parseMultipart, type MultipartPart } from "../key/read-body.ts";
import { ROOT, type Place } from "./place.ts";

/** A body that is not JSON, with its parts where it has some. */
interface Bytes {
  readonly kind: "bytes" | "multipart";
  readonly bytes: Uint8Array;
  readonly parts: readonly MultipartPart[];
}

/** Reports what differs between two bodies of any kind; nothing where they count as the same in a key. */
export function compareBodies(recorded: RequestBody, asked: RequestBody, report: Report): void {
  if (recorded.kind === "json" && asked.kind === "json") {
    compareTrees({ recorded: recorded.tree, asked: asked.tree }, ROOT, report);
    return;
  }
  if (recorded.kind === "empty" && asked.kind === "empty") return;
  const before = recorded.kind === "bytes" ? takeApart(recorded) : undefined;
  const after = asked.kind === "bytes" ? takeApart(asked) : undefined;
  if (before === undefined || after === undefined || before.kind !== after.kind) {
    const [was, is] = [describe(recorded, before), describe(asked, after)];
    report(() => ({ at: "", kind: "changed", recorded: was, asked: is, text: `body: ${was} → ${is}` }));
  } else if (before.kind === "multipart") compareParts(before.parts, after.parts, report);
  else compareContents([before.bytes, after.bytes], ROOT, report);
}

function takeApart(body: RequestBody & { readonly kind: "bytes" }): Bytes {
  const { bytes, contentType } = body;
  const parts =
    contentType !== undefined && isMultipart(contentType) ? parseMultipart(bytes, contentType) : "";
  return typeof parts === "string"
    ? { kind: "bytes", bytes, parts: [] }
    : { kind: "multipart", bytes, parts };
}

function describe(body: RequestBody, read: Bytes | undefined): string {
  if (read?.kind === "multipart") return `multipart, ${read.parts.length} parts`;
  if (body.kind !== "bytes") return body.kind === "json" ? "JSON" : "empty";
  return `${sizeOf(body.bytes.byteLength)} that are not JSON`;
}

function compareParts(
  recorded: readonly MultipartPart[],
  asked: readonly MultipartPart[],
  report: Report,
): void {
  const before = partsByLabel(recorded);
  const after = partsByLabel(asked);
  for (const label of mergedNames([...before.keys()], [...after.keys()])) {
    const old = before.get(label);
    const now = after.get(label);
    if (old && now) comparePart([old, now], { ...ROOT, label }, report);
    else if (now)
      report(() => ({ at: "", kind: "added", asked: brief(now), text: `${label} added: ${brief(now)}` }));
    else if (old)
      report(() => ({
        at: "",
        kind: "removed",
        recorded: brief(old),
        text: `${label} removed: ${brief(old)}`,
      }));
  }
  const order = [...after.keys()].filter((label) => before.has(label));
  const sameOrder = [...before.keys()]
    .filter((label) => after.has(label))
    .every((label, index) => label === order[index]);
  if (!sameOrder) report(() => ({ at: "", kind: "changed", text: "parts in another order" }));
}

/** Parts by name; the second one of a name, and one without, by its number. */
function partsByLabel(parts: readonly MultipartPart[]): ReadonlyMap<string, MultipartPart> {
  const byLabel = new Map<string, MultipartPart>();
  const counts = new Map<string | undefined, number>();
  for (const part of parts) {
    const count = (counts.get(part.name) ?? 0) + 1;
    counts.set(part.name, count);
    const name = part.name === undefined ? "unnamed part" : `part "${part.name}"`;
    byLabel.set(count === 1 ? name : `${name} (${count})`, part);
  }
  return byLabel;
}

function comparePart(
  [old, now]: readonly [MultipartPart, MultipartPart],
  place: Place,
  report: Report,
): void {
  for (const [what, recorded, asked] of [
    ["file name", old.filename, now.filename],
    ["content type", old.contentType, now.contentType],
  ] as const) {
    if (recorded === asked) continue;
    report(() => describeChange([recorded ?? "none", asked ?? "none"], `${place.label}, ${what}`));
  }
  if (old.filename === undefined && now.filename === undefined) {
    compareContents([old.content, now.content], place, report);
  } else if (!sameBytes(old.content, now.content))
    report(() => describeChange([brief(old), brief(now)], place.label));
}

function compareContents(contents: readonly [Uint8Array, Uint8Array], place: Place, report: Report): void {
  if (sameBytes(...contents)) return;
  const texts = contents.map(plainUtf8);
  const [recorded, asked] = texts;
  if (recorded !== undefined && asked !== undefined && recorded !== asked)
    compareTexts(recorded, asked, place, report);
  else {
    const sizes = [sizeOf(contents[0].byteLength), sizeOf(contents[1].byteLength)] as const;
    report(() => describeChange(sizes, place.label === "" ? "body" : place.label));
  }
}

function describeChange([recorded, asked]: readonly [string, string], label: string): Difference {
  const text =
    recorded === asked ? `${label}: ${asked}, with other content` : `${label}: ${recorded} → ${asked}`;
  return { at: "", kind: "changed", recorded, asked, text };
}

function brief(part: MultipartPart): string {
  const text = part.filename === undefined ? plainUtf8(part.content) : undefined;
  if (text !== undefined) return quoteExcerpt(text);
  const type = part.contentType === undefined ? "" : `${part.contentType}, `;
  return `${type}${sizeOf(part.content.byteLength)}`;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && a.every((byte, index) => byte === b[index]);
}
