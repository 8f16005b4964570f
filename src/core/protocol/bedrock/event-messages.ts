import { localize } from "../../base/localize.ts";
import { encodeUtf8, joinBytes } from "../../base/wire/text.ts";
import { writeMessage } from "../../base/wire/event-stream.ts";
import { BROKEN, EXCEPTION } from "../../base/wire/event-stream-text.ts";
import type { SseEvent } from "../../base/wire/sse.ts";
import type { ComposedReply } from "../base/protocol.ts";
import { readFields, tryParsePlainJson, readText, type Fields } from "../../base/lenient.ts";

/** Composes a stream of Bedrock's messages from event types and their data. */
export function composeEventMessages(
  events: readonly (readonly [type: string, data: unknown])[],
): ComposedReply {
  const messages = events.map(([type, data]) =>
    writeMessage({
      headers: [
        { name: ":event-type", value: type },
        { name: ":content-type", value: "application/json" },
        { name: ":message-type", value: "event" },
      ],
      payload: encodeUtf8(JSON.stringify(data)),
    }),
  );
  return { contentType: "application/vnd.amazon.eventstream", body: joinBytes(messages) };
}

/** Returns the failure in an event: an exception with a JSON message, or an invalid message. */
export function readEventFailure({ event, data }: SseEvent): object | undefined {
  const isException = event?.startsWith(EXCEPTION) === true;
  if (!isException && event !== BROKEN) return undefined;
  const type = isException ? event.slice(EXCEPTION.length) : localize("broken message");
  return { type, message: messageIn(readFields(tryParsePlainJson(data))) ?? data };
}

/** Returns the failure in a whole reply; undefined without one. */
export function readWholeFailure(
  fields: Fields,
  { status }: { readonly status: number },
): object | undefined {
  const type = readText(fields["__type"]);
  const message = messageIn(fields);
  const failed = status >= 400 || type !== undefined;
  return failed && message !== undefined ? { type, message } : undefined;
}

function messageIn(fields: Fields): string | undefined {
  return readText(fields["message"]) ?? readText(fields["Message"]);
}
