import { addTo, groupBy } from "../group-by.ts";
import { cutBody, type Framing } from "../wire/framing.ts";
import { bytesOf, joinBytes, textOf, utf8 } from "../wire/text.ts";
import { finish, type Steps } from "../steps.ts";
import { applyEdits, editsIn, type Edit } from "./edits.ts";
import { eventTexts, GROUPINGS, partsIn, type StreamPart } from "./reply-parts.ts";
import { searchIn } from "./readings.ts";
import { placeholderOf, type Scan, type Secret } from "./scanner.ts";

/**
 * A body without these secrets, wherever they stand in it: in its strings, in JSON within them, split over the events
 * of a stream. Framing, the number of events and JSON stay what they were. The same bytes where there is none, where
 * the body is no UTF-8, and of AWS event streams, whose messages have checksums.
 */
export function redactBody(body: Uint8Array, secrets: readonly Secret[], framing?: Framing): Uint8Array {
  return finish(redactBodyIn(body, secrets, framing));
}

function* redactBodyIn(body: Uint8Array, secrets: readonly Secret[], framing?: Framing): Steps<Uint8Array> {
  if (secrets.length === 0 || framing === "messages" || utf8(body) === undefined) return body;
  const whole = eventTexts(body, framing);
  let redacted = whole;
  for (const groupOf of GROUPINGS) redacted = yield* withoutSplit(redacted, secrets, { framing, groupOf });
  const plain: string[] = [];
  for (const text of redacted) plain.push(yield* withoutPlain(text, secrets));
  if (plain.every((text, index) => text === whole[index])) return body;
  const pieces = cutBody(body, framing);
  return joinBytes(
    plain.map((text, index) => (text === whole[index] ? (pieces[index] ?? bytesOf(text)) : bytesOf(text))),
  );
}

/** Taking one secret out may show another one behind it. */
const PASSES = 3;

/** A body without the secrets that are found in it, and in what is left of it then. */
export function* redactRepeatedly(
  body: Uint8Array,
  secretsOf: (body: Uint8Array) => Steps<readonly Secret[]>,
  framing?: Framing,
): Steps<Uint8Array> {
  let redacted = body;
  for (let pass = 0; pass < PASSES && redacted.byteLength > 0; pass += 1) {
    const before = redacted;
    redacted = yield* redactBodyIn(before, yield* secretsOf(before), framing);
    if (redacted === before) break;
  }
  return redacted;
}

/** Takes out what stands in the strings of a place when they are joined over all events. */
function* withoutSplit(
  events: readonly string[],
  secrets: readonly Secret[],
  how: { readonly framing: Framing | undefined; readonly groupOf: (place: string) => string },
): Steps<readonly string[]> {
  const changes = new Map<number, Edit[]>();
  const all = yield* partsIn(events, how.framing);
  for (const parts of groupBy(all, ({ place }) => how.groupOf(place))) {
    const edits = yield* editsIn(parts.map(({ value }) => value).join(""), secrets);
    if (edits.length === 0) continue;
    for (const { part, value } of distribute(parts, edits)) {
      addTo(changes, part.event, { start: part.start, end: part.end, by: JSON.stringify(value) });
    }
  }
  return events.map((text, event) => {
    const edits = changes.get(event);
    edits?.sort((a, b) => a.start - b.start);
    return edits === undefined ? text : applyEdits(text, edits);
  });
}

/** The parts that change: a placeholder stands where its secret began, the rest of the secret goes. */
function distribute(
  parts: readonly StreamPart[],
  edits: readonly Edit[],
): readonly { readonly part: StreamPart; readonly value: string }[] {
  const changed: { part: StreamPart; value: string }[] = [];
  let from = 0;
  let next = 0;
  for (const part of parts) {
    const to = from + part.value.length;
    const own: Edit[] = [];
    while ((edits[next]?.end ?? Infinity) <= from) next += 1;
    for (let at = next; (edits[at]?.start ?? Infinity) < to; at += 1) {
      const edit = edits[at];
      if (edit === undefined) break;
      const begins = edit.start >= from;
      const start = begins ? edit.start - from : 0;
      own.push({ start, end: Math.min(edit.end, to) - from, by: begins ? edit.by : "" });
    }
    if (own.length > 0) changed.push({ part, value: applyEdits(part.value, own) });
    from = to;
  }
  return changed;
}

/** What stands in a text as it is: names of members, comments of a stream, a body that is no JSON. */
function* withoutPlain(text: string, secrets: readonly Secret[]): Steps<string> {
  return applyEdits(text, yield* editsIn(text, secrets));
}

const ENCODED = " (encoded)";
/** What URL escapes stand in, and base64 and hexadecimal. */
const [RUN, ESCAPE, DIGITS] = [/[^\s"\\]+/g, /%[0-9A-Fa-f]{2}/, /[A-Za-z0-9+/_=-]{24,}/g];

/**
 * A request's body as it may be shown: whatever says a secret in an encoding is one placeholder. That may be a whole
 * file: two such calls look the same, and `encodedSecrets` keeps them from being recorded.
 */
export function* withoutEncoded(body: Uint8Array, scan: Scan): Steps<Uint8Array> {
  const text = utf8(body);
  if (text === undefined) return body;
  const edits: Edit[] = [];
  for (const { 0: run, index: at } of text.matchAll(RUN))
    for (const { 0: part, index } of ESCAPE.test(run) ? [{ 0: run, index: 0 }] : run.matchAll(DIGITS)) {
      const [one] = (yield* searchIn(part, scan)).encoded;
      const start = at + index;
      if (one !== undefined)
        edits.push({ start, end: start + part.length, by: placeholderOf({ kind: one.kind + ENCODED }) });
    }
  return edits.length === 0 ? body : bytesOf(applyEdits(text, edits));
}

/** What `withoutEncoded` took out of a body that was sent so. */
export function* encodedSecrets(sent: Uint8Array, shown: Uint8Array, scan: Scan): Steps<readonly Secret[]> {
  if (sent === shown || !textOf(shown).includes(`${ENCODED}]`)) return [];
  return (yield* searchIn(textOf(sent), scan)).encoded;
}
