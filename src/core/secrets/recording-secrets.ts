import type { Recording } from "../cassette/recording.ts";
import { groupBy } from "../group-by.ts";
import { framingOf, type Framing } from "../wire/framing.ts";
import { textOf } from "../wire/text.ts";
import { finish, type Steps } from "../steps.ts";
import { searchIn, unique } from "./readings.ts";
import { eventTexts, GROUPINGS, partsIn } from "./reply-parts.ts";
import type { Scan, Secret } from "./scanner.ts";

/** A secret of a recording, and where it stands, e.g. "request body" or "reply (encoded)". */
export interface PlacedSecret extends Secret {
  readonly place: string;
}

export interface SearchedReply {
  /** What a protocol makes of a stream's events: a secret may be split over them. */
  readonly text?: string;
  /** How the body is divided, where its content type does not tell. */
  readonly framing?: Framing | undefined;
}

/** All secrets of what is to be written, or was: each value once, where it is found first. */
export function recordingSecrets(
  recording: Recording,
  scan: Scan,
  reply: SearchedReply = {},
): readonly PlacedSecret[] {
  return finish(searchRecording(recording, scan, reply));
}

/** The same in steps. */
export function* searchRecording(
  { request, reply, test }: Recording,
  scan: Scan,
  { text = "", framing = framingOf(reply.contentType) }: SearchedReply = {},
): Steps<readonly PlacedSecret[]> {
  const places: readonly (readonly [place: string, said: string | readonly string[]])[] = [
    ["path", request.path],
    ["request headers", headerValues(request)],
    ["request body", textOf(request.body)],
    ["reply", textOf(reply.body)],
    ["reply with its pieces joined", [text, ...(yield* joinedParts(reply.body, framing))]],
    ["name of its test", test === undefined ? "" : [test.file, ...test.name].join("\n")],
  ];
  const found: PlacedSecret[] = [];
  for (const [place, said] of places) {
    const { plain, encoded } = yield* searchIn(said, scan);
    found.push(...plain.map((secret) => ({ ...secret, place })));
    found.push(...encoded.map((secret) => ({ ...secret, place: `${place} (encoded)` })));
  }
  const first = new Map(found.toReversed().map((secret) => [secret.value, secret]));
  return [...first.values()].reverse();
}

function headerValues({ headers = [] }: Recording["request"]): readonly string[] {
  return headers.map(([, value]) => value);
}

/** Those of a body that can be taken out of it, its pieces joined. */
export function* plainSecrets(
  body: Uint8Array,
  scan: Scan,
  framing: Framing | undefined,
): Steps<readonly Secret[]> {
  const { plain } = yield* searchIn(textOf(body), scan);
  const joined = yield* searchIn(yield* joinedParts(body, framing), scan);
  return unique([...plain, ...joined.plain]);
}

/** The strings of the same places joined, in each way in which they may belong together. */
function* joinedParts(body: Uint8Array, framing: Framing | undefined): Steps<readonly string[]> {
  const parts = yield* partsIn(eventTexts(body, framing), framing);
  const joined = GROUPINGS.flatMap((groupOf) => {
    // The places of a stream's events are the same ones over and over.
    const names = new Map<string, string>();
    const fieldName = (place: string): string => {
      const known = names.get(place) ?? groupOf(place);
      names.set(place, known);
      return known;
    };
    const groups = groupBy(parts, ({ place }) => fieldName(place));
    // Of one JSON value, a string alone stands in the body as well.
    const several = framing === undefined ? groups.filter(({ length }) => length > 1) : groups;
    return several.map((group) => group.map(({ value }) => value).join(""));
  });
  return [...new Set(joined)];
}
