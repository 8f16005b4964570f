import { textOf } from "../wire/text.ts";
import { credentialsOf, type CarriedBy } from "./credentials.ts";
import { framingOf } from "../wire/framing.ts";
import { joinedText } from "./joined-text.ts";
import type { Recording } from "./recording.ts";
import { readingsOf, spellingsOf } from "./spellings.ts";

/**
 * Looks for a credential of the call in what is about to be written, in its usual spellings. `replyText` is what a
 * protocol makes of a stream's events: a credential may be split over them.
 * Gives back where it stands, in words without the credential; undefined where it does not.
 */
export function findCredentials(recording: Recording, call: CarriedBy, replyText = ""): string | undefined {
  const credentials = credentialsOf(call);
  if (credentials.length === 0) return undefined;
  const { request, reply, test } = recording;
  const framing = framingOf(reply.contentType);
  const places: readonly (readonly [name: string, text: string])[] = [
    ["path", request.path],
    ["request body", textOf(request.body)],
    ["reply", textOf(reply.body)],
    ["streamed reply", framing === undefined ? "" : `${replyText}\n${joinedText(reply.body, framing)}`],
    ["test", JSON.stringify(test ?? null)],
  ];
  const readings = places.flatMap(([name, text]) => readingsOf(text).map((reading) => ({ name, reading })));
  for (const { place, value } of credentials) {
    const spellings = spellingsOf(value);
    const found = readings.find(({ reading }) => spellings.some((spelling) => reading.includes(spelling)));
    if (found !== undefined)
      return `the ${found.name} holds the credential that the call sent in ${place}. Take it out there and record again.`;
  }
  return undefined;
}
