import { jsonIn } from "../protocol/reading/lenient.ts";
import { readMessages } from "../wire/event-stream-text.ts";
import { cutBody, type Framing } from "../wire/framing.ts";
import { readEvents } from "../wire/sse.ts";
import { textOf } from "../wire/text.ts";

/**
 * What a stream of JSON values says when the pieces are joined: the strings at the same place of each value, in
 * order, a place a line. Knows nothing of protocols; a value that is no JSON is left out.
 */
export function joinedText(body: Uint8Array, framing: Framing): string {
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
