import { finish, type Steps } from "../steps.ts";
import { textOf } from "../wire/text.ts";
import { credentialsOf, type CarriedBy, type Credential } from "./credentials.ts";
import { framingOf, cutBody, type Framing } from "../wire/framing.ts";
import { pickDefined } from "../pick-defined.ts";
import { piecesOf } from "../secrets/pieces.ts";
import type { Recording } from "./recording.ts";
import { readingsOf, spellingsOf } from "./spellings.ts";
import { jsonIn } from "../protocol/reading/lenient.ts";
import { readMessages } from "../wire/event-stream-text.ts";
import { readEvents } from "../wire/sse.ts";

/**
 * Looks for a credential of the call in what is about to be written, in its usual spellings. `replyText` is what a
 * protocol makes of a stream's events: a credential may be split over them.
 * Gives back where it stands, in words without the credential; undefined where it does not.
 */
export function findCredentials(recording: Recording, call: CarriedBy, replyText = ""): string | undefined {
  return finish(searchCredentials(recording, spelledCredentials(call), replyText))?.message;
}

export interface FoundCredential {
  readonly message: string;
  /** It stands in the query or in a member of the body by whose name it is known: redacting takes it out of there. */
  readonly isInItsPlace: boolean;
  /** The name of its parameter, where it stands in its place. */
  readonly parameter?: string;
}

/** A credential of a call, and how it may be written. */
export interface SpelledCredential extends Credential {
  readonly spellings: readonly string[];
}

/** Each value once, with the first of its places. */
export function spelledCredentials(call: CarriedBy): readonly SpelledCredential[] {
  const first = new Map<string, Credential>();
  for (const credential of credentialsOf(call))
    if (!first.has(credential.value)) first.set(credential.value, credential);
  return [...first.values()].map((credential) => ({
    ...credential,
    spellings: spellingsOf(credential.value),
  }));
}

/** The same in steps. */
export function* searchCredentials(
  recording: Recording,
  credentials: readonly SpelledCredential[],
  replyText = "",
): Steps<FoundCredential | undefined> {
  if (credentials.length === 0) return undefined;
  const { request, reply, test } = recording;
  const framing = framingOf(reply.contentType);
  const places: readonly (readonly [name: string, text: string])[] = [
    ["path", request.path],
    ["request headers", JSON.stringify(request.headers ?? [])],
    ["request body", textOf(request.body)],
    ["reply", textOf(reply.body)],
    ["streamed reply", framing === undefined ? "" : `${replyText}\n${joinedText(reply.body, framing)}`],
    ["test", JSON.stringify(test ?? null)],
  ];
  let first = credentials.length;
  let where = "";
  for (const [name, text] of places) {
    for (const piece of piecesOf(text)) {
      const readings = readingsOf(piece.text);
      const isIn = ({ spellings }: SpelledCredential): boolean =>
        readings.some((reading) => spellings.some((spelling) => reading.includes(spelling)));
      const at = credentials.slice(0, first).findIndex(isIn);
      if (at >= 0) [first, where] = [at, name];
      if (!piece.isLast) yield;
    }
  }
  const found = credentials[first];
  if (found === undefined) return undefined;
  const isInBody = where === "request body" && found.place.endsWith(" of its body");
  const isInItsPlace = isInBody || (where === "path" && found.place === "the query");
  return {
    message: `the ${where} holds the credential that the call sent in ${found.place}. Take it out there and record again.`,
    isInItsPlace,
    ...(isInItsPlace && pickDefined({ parameter: found.parameter })),
  };
}

/**
 * What a stream of JSON values says when the pieces are joined: the strings at the same place of each value, in
 * order, a place a line. Knows nothing of protocols; a value that is no JSON is left out.
 */
function joinedText(body: Uint8Array, framing: Framing): string {
  const joined = new Map<string, string>();
  const add = (place: string, value: unknown): void => {
    if (typeof value === "string") joined.set(place, (joined.get(place) ?? "") + value);
    else if (typeof value === "object" && value !== null)
      for (const [name, inside] of Object.entries(value)) add(`${place}/${name}`, inside);
  };
  for (const text of textsOf(body, framing)) add("", jsonIn(text));
  return [...joined.values()].join("\n");
}

function textsOf(body: Uint8Array, framing: Framing): readonly string[] {
  if (framing === "events") return readEvents(body).map(({ data }) => data);
  if (framing === "messages") return readMessages(body).map(({ data }) => data);
  return cutBody(body, framing).map((piece) => textOf(piece));
}
