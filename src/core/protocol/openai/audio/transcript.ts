import { textOf } from "../../../wire/text.ts";
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
import { usageFrom } from "../responses/project.ts";
import type { Message, Projection } from "../../protocol.ts";
import { failureMessage, isWholeJson, readReply, unreadable, type Reply } from "../../reading/reply.ts";

/** The neutral reading of what was heard: JSON with or without segments, plain text, subtitles, or a stream. */
export function projectTranscript(reply: Reply): Projection {
  const read = readReply(reply);
  if (read.kind === "text") return { messages: [heard(read.text.trimEnd())] };
  if (read.kind === "json") return projectJson(read.value);
  const events = read.events.map(({ data }) => fieldsOf(jsonIn(data)));
  const done = events.findLast((event) => event["type"] === "transcript.text.done");
  const deltas = events.map((event) => textIn(event["delta"]) ?? "").join("");
  const errors = events.flatMap((event) =>
    event["type"] === "error" || event["error"] ? [failureMessage(event["error"] ?? event)] : [],
  );
  return present({
    messages: [heard(textIn(done?.["text"]) ?? deltas), ...errors],
    usage: usageFrom(done?.["usage"]),
    events: read.events.length,
  });
}

function projectJson(value: unknown): Projection {
  const fields = fieldsOf(value);
  if (fields["error"]) return { messages: [failureMessage(fields["error"])] };
  const text = fields["text"];
  if (typeof text !== "string")
    return isFields(value) ? unreadable(jsonText(value)) : { messages: [heard(jsonText(value))] };
  const spoken = speakers(fields);
  return present({
    messages: [heard(spoken ?? text)],
    usage: usageFrom(fields["usage"]),
    model: textIn(fields["model"]),
  });
}

/** Who said what, where the model told speakers apart. */
function speakers(fields: Fields): string | undefined {
  const segments = listOf(fields["segments"]).map(fieldsOf);
  if (segments.length === 0 || !segments.every((segment) => typeof segment["speaker"] === "string"))
    return undefined;
  return segments.map(({ speaker, text }) => `${String(speaker)}: ${(textIn(text) ?? "").trim()}`).join("\n");
}

function heard(text: string): Message {
  return { role: "assistant", parts: text === "" ? [] : [{ type: "text", text }] };
}

/** Text and subtitles have no end of their own; JSON is cut where it does not parse. */
export function isWholeTranscript(body: Uint8Array): boolean {
  const text = textOf(body).replace(/^\uFEFF/, "");
  return text.trimStart().startsWith("{") ? isWholeJson(body) : true;
}
