import { bytesOf, joinBytes } from "../../wire/text.ts";
import { writeMessage } from "../../wire/event-stream.ts";
import type { Composed } from "../composed.ts";
import { BROKEN, EXCEPTION } from "../../wire/event-stream-text.ts";
import { readFrame } from "../../wire/sse.ts";

/** A stream of messages as Bedrock sends them: each an event type and its data. */
export function composedMessages(events: readonly (readonly [type: string, data: unknown])[]): Composed {
  const messages = events.map(([type, data]) =>
    writeMessage({
      headers: [
        { name: ":event-type", value: type },
        { name: ":content-type", value: "application/json" },
        { name: ":message-type", value: "event" },
      ],
      payload: bytesOf(JSON.stringify(data)),
    }),
  );
  return { contentType: "application/vnd.amazon.eventstream", body: joinBytes(messages) };
}

/** The failure that a message reports, as its frame words it: an exception, or a message that is broken. */
export function failureOf(frame: string): { readonly type: string; readonly data: string } | undefined {
  const { event = "", data = "" } = readFrame(frame);
  return exceptionIn(event, data);
}

/** The same of an event. The data of an exception is JSON with a message. */
export function exceptionIn(
  event: string | undefined,
  data: string,
): { readonly type: string; readonly data: string } | undefined {
  if (event?.startsWith(EXCEPTION) === true) return { type: event.slice(EXCEPTION.length), data };
  return event === BROKEN ? { type: "broken message", data } : undefined;
}
