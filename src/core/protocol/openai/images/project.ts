import type { SseEvent } from "../../../wire/sse.ts";
import {
  fieldsOf,
  isFields,
  jsonIn,
  jsonText,
  listOf,
  present,
  textIn,
  type Fields,
} from "../../reading/lenient.ts";
import { mediaAt, pictureFrom } from "../../reading/media.ts";
import { usageFrom } from "../responses/project.ts";
import type { Message, Part, Projection } from "../../protocol.ts";
import { failureMessage, readReply, unreadable, type Reply } from "../../reading/reply.ts";

/** The neutral reading of pictures, whole or streamed: each is a message. */
export function projectImages(reply: Reply): Projection {
  const read = readReply(reply);
  if (read.kind === "text") return unreadable(read.text);
  if (read.kind === "stream") return projectEvents(read.events);
  const fields = fieldsOf(read.value);
  if (fields["error"]) return { messages: [failureMessage(fields["error"])] };
  if (!Array.isArray(fields["data"])) return unreadable(jsonText(read.value));
  const format = textIn(fields["output_format"]);
  return present({
    messages: listOf(fields["data"]).map((one) => picture(fieldsOf(one), format)),
    usage: usageFrom(fields["usage"]),
    model: textIn(fields["model"]),
  });
}

/** Pictures that are not finished yet are counted, not shown: the finished one stands for them. */
function projectEvents(events: readonly SseEvent[]): Projection {
  const read = events.map(({ data }) => fieldsOf(jsonIn(data)));
  const finished = read.filter((event) => textIn(event["type"])?.endsWith(".completed") === true);
  const partial = read.findLast((event) => textIn(event["type"])?.endsWith(".partial_image") === true);
  const errors = read.flatMap((event) =>
    event["type"] === "error" || event["error"] ? [failureMessage(event["error"] ?? event)] : [],
  );
  const shown = finished.length > 0 || partial === undefined ? finished : [partial];
  return present({
    messages: [
      ...shown.map((event) => picture(event, undefined, event === partial ? "not finished" : undefined)),
      ...errors,
    ],
    usage: finished
      .map((event) => event["usage"])
      .filter(isFields)
      .map(usageFrom)
      .at(-1),
    events: events.length,
  });
}

function picture(fields: Fields, format: string | undefined, detail?: string): Message {
  const revised = textIn(fields["revised_prompt"]);
  const parts: Part[] = [
    ...(revised === undefined ? [] : [{ type: "text" as const, text: revised }]),
    picturePart(fields, format, detail),
  ];
  return { role: "assistant", parts };
}

function picturePart(fields: Fields, format: string | undefined, detail: string | undefined): Part {
  const base64 = textIn(fields["b64_json"]);
  const url = textIn(fields["url"]);
  const type = textIn(fields["output_format"]) ?? format ?? "png";
  if (base64 !== undefined) return pictureFrom(base64, type, detail);
  return url === undefined
    ? { type: "other", description: "unreadable picture", text: jsonText(fields) }
    : mediaAt("image", url);
}
