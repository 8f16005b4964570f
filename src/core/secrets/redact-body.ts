import { attempt } from "../base/errors.ts";
import { addTo } from "../base/group-by.ts";
import { cutBody, type Framing } from "../base/wire/framing.ts";
import { encodeUtf8, joinBytes, decodeUtf8 } from "../base/wire/text.ts";
import { findTexts } from "../match/origins/values.ts";
import { GROUPINGS, findJsonStrings, collectStreamPieces, type Piece } from "./json-strings.ts";
import { listEventTexts, findSecretsIn, listTextsOfBody } from "./searched-texts.ts";
import { getSecretPlaceholder, type Scan, type Secret } from "./scanner.ts";

/** A part of a text that another one replaces. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/** Replaces parts of a text that are in order and do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let done = "";
  let from = 0;
  for (const { start, end, by } of edits) {
    done += text.slice(from, start) + by;
    from = end;
  }
  return from === 0 ? text : done + text.slice(from);
}

/** A text that another one replaces wherever it is. */
export interface Replacement {
  readonly value: string;
  readonly by: string;
  /** Whether the text at a place counts. Default: always. */
  readonly countsAt?: (text: string, start: number, end: number) => boolean;
}

/** The edits that take secrets out of a text. JSON stays JSON: only the values of its strings are changed. */
export function planEdits(text: string, secrets: readonly Secret[]): readonly Edit[] {
  return editsFor(text, secrets.map(placeholderFor));
}

const placeholderFor = (secret: Secret): Replacement => ({
  value: secret.value,
  by: getSecretPlaceholder(secret),
});

function editsFor(text: string, replacements: readonly Replacement[]): readonly Edit[] {
  const strings = replacements.length === 0 ? [] : findJsonStrings(text);
  if (strings === undefined) return occurrences(text, replacements);
  return strings.flatMap(({ start, end, value }) => {
    const inside = occurrences(value, replacements);
    if (inside.length === 0) return [];
    return [{ start, end, by: JSON.stringify(applyEdits(value, inside)) }];
  });
}

/** Of two that overlap, the longer one is replaced. */
const occurrences = (text: string, replacements: readonly Replacement[]): readonly Edit[] =>
  findTexts(
    text,
    replacements,
    ({ value }) => value,
    ({ countsAt }, start, end) => countsAt?.(text, start, end) !== false,
  ).map(({ item: { by }, start, end }) => ({ start, end, by }));

/** Taking one secret out may reveal another one behind it. */
const PASSES = 3;

/** A body without `others` and without the secrets that are found in it, and in the rest once they are gone. */
export function redactBody(
  body: Uint8Array,
  scan: Scan,
  {
    framing,
    others = [],
  }: { readonly framing?: Framing | undefined; readonly others?: readonly Secret[] } = {},
): Uint8Array {
  let redacted = body;
  for (let pass = 0; pass < PASSES && redacted.byteLength > 0; pass += 1) {
    const before = redacted;
    redacted = takeOut(
      before,
      [...others, ...findSecretsIn(listTextsOfBody(before, framing), scan)],
      framing,
    );
    if (redacted === before) break;
  }
  return redacted;
}

/**
 * Removes these secrets from a body, both in its strings and split across the events of a stream. Framing, the number
 * of events, and the JSON structure do not change. Returns the same bytes if there are no secrets, if the body is not
 * UTF-8, and for AWS event streams, whose messages have checksums.
 */
export function takeOut(body: Uint8Array, secrets: readonly Secret[], framing?: Framing): Uint8Array {
  const written = secrets.flatMap((secret) => {
    // Half a pair of surrogates cannot be escaped.
    const escaped = attempt(
      () => encodeURIComponent(secret.value),
      () => secret.value,
    );
    return escaped === secret.value ? [secret] : [secret, { ...secret, value: escaped }];
  });
  return replaceInBody(body, written.map(placeholderFor), framing);
}

/** Replaces texts in a body as `takeOut` does. */
export function replaceInBody(
  body: Uint8Array,
  replacements: readonly Replacement[],
  framing?: Framing,
): Uint8Array {
  if (replacements.length === 0 || framing === "messages" || decodeUtf8(body) === undefined) return body;
  const whole = listEventTexts(body, framing);
  let redacted = whole;
  if (framing !== undefined)
    for (const group of GROUPINGS) redacted = withoutSplit(redacted, replacements, { framing, group });
  // Names of members, comments of a stream, a body that is no JSON.
  const plain = redacted.map((text) => applyEdits(text, editsFor(text, replacements)));
  if (plain.every((text, index) => text === whole[index])) return body;
  const pieces = cutBody(body, framing);
  return joinBytes(
    plain.map((text, index) =>
      text === whole[index] ? (pieces[index] ?? encodeUtf8(text)) : encodeUtf8(text),
    ),
  );
}

/** Takes out what is in the strings of a place when they are joined over all events. */
function withoutSplit(
  events: readonly string[],
  replacements: readonly Replacement[],
  { framing, group }: { readonly framing: Framing; readonly group: (typeof GROUPINGS)[number] },
): readonly string[] {
  const changes = new Map<number, Edit[]>();
  for (const pieces of group(collectStreamPieces(events, framing))) {
    const edits = occurrences(pieces.map(({ value }) => value).join(""), replacements);
    for (const { piece, value } of distribute(pieces, edits)) {
      addTo(changes, piece.event, { start: piece.start, end: piece.end, by: JSON.stringify(value) });
    }
  }
  return events.map((text, event) => {
    const edits = changes.get(event)?.sort((a, b) => a.start - b.start);
    return edits === undefined ? text : applyEdits(text, edits);
  });
}

/** The pieces that change: a placeholder is put where its secret began, the rest of the secret is dropped. */
function distribute(
  pieces: readonly Piece[],
  edits: readonly Edit[],
): readonly { readonly piece: Piece; readonly value: string }[] {
  const changed: { piece: Piece; value: string }[] = [];
  let from = 0;
  let next = 0;
  for (const piece of pieces) {
    const to = from + piece.value.length;
    const within: Edit[] = [];
    while ((edits[next]?.end ?? Infinity) <= from) next += 1;
    for (let at = next; (edits[at]?.start ?? Infinity) < to; at += 1) {
      const edit = edits[at];
      if (edit === undefined) break;
      const begins = edit.start >= from;
      const start = begins ? edit.start - from : 0;
      within.push({ start, end: Math.min(edit.end, to) - from, by: begins ? edit.by : "" });
    }
    if (within.length > 0) changed.push({ piece, value: applyEdits(piece.value, within) });
    from = to;
  }
  return changed;
}
