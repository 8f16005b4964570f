import { decodeBase64, encodeBase64 } from "../../../cassette/base64.ts";
import type { JsonObject } from "../../../json/json-tree.ts";
import { bytesOf, joinBytes, textOf } from "../../../wire/text.ts";
import { fieldsOf, jsonIn, present, textIn } from "../../reading/lenient.ts";
import { mediaBytes } from "../../reading/media.ts";
import { usageFrom } from "../responses/project.ts";
import type { Message, Projection, Protocol, ProtocolRequest } from "../../protocol.ts";
import { failureMessage, isWholeJson, readReply, type Reply } from "../../reading/reply.ts";
import { factsWith, objectBody, shortLabel, valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";
import { typedStream } from "../../stream-rules.ts";
import { silence } from "./silence.ts";

/**
 * Speech from a text: the sound itself, or events with pieces of it where `stream_format` is "sse".
 * Source: platform.openai.com/docs/api-reference/audio/createSpeech, 2026-11.
 */
export const openaiSpeech: Protocol = {
  operation: "audio.speech",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/audio/speech"),
  facts: (request) => {
    const body = bodyOf(request);
    const input = textIn(valueAt(body, "input")) ?? "";
    const label = input.trim() === "" ? "speech" : shortLabel(input);
    return { ...factsWith(body, label), streaming: valueAt(body, "stream_format") === "sse" };
  },
  conversation: (request) => {
    const body = bodyOf(request);
    const text = textIn(valueAt(body, "input")) ?? "";
    return {
      messages: [{ role: "user", parts: [{ type: "text", text }] }],
      settings: settingsOf(body, ["model", "input"]),
    };
  },
  project: projectSpeech,
  stream: typedStream({ terminal: ["speech.audio.done"], failed: ["error"] }),
  compose: (_draft, request) => composeSpeech(bodyOf(request)),
  isWhole: isSound,
};

function bodyOf(request: ProtocolRequest): JsonObject {
  return objectBody(request, { operation: "Speech", needs: ["model", "input"] });
}

/** How a sound ends is up to its format: what breaks off is told by the connection. An error is JSON. */
function isSound(body: Uint8Array): boolean {
  return (
    body.byteLength > 0 && (body[0] !== 0x7b || (jsonIn(textOf(body)) !== undefined && isWholeJson(body)))
  );
}

function projectSpeech(reply: Reply): Projection {
  const type = reply.contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type.startsWith("audio/") || type === "application/octet-stream")
    return { messages: [sound(reply.body, type)] };
  const read = readReply(reply);
  if (read.kind === "json") {
    const { error } = fieldsOf(read.value);
    return { messages: [error ? failureMessage(error) : sound(reply.body, "audio/unknown")] };
  }
  if (read.kind === "text") return { messages: [sound(reply.body, "audio/unknown")] };
  const events = read.events.map(({ data }) => fieldsOf(jsonIn(data)));
  const pieces = events.flatMap((event) => decodeBase64(textIn(event["audio"]) ?? "") ?? []);
  const errors = events.flatMap((event) =>
    event["type"] === "error" || event["error"] ? [failureMessage(event["error"] ?? event)] : [],
  );
  return present({
    messages: [sound(joinBytes(pieces), "audio"), ...errors],
    usage: usageFrom(events.at(-1)?.["usage"]),
    events: read.events.length,
  });
}

function sound(bytes: Uint8Array, type: string): Message {
  return { role: "assistant", parts: [mediaBytes("audio", bytes, { type })] };
}

/** Silence: what a draft says in words cannot be spoken here. */
function composeSpeech(body: JsonObject): { contentType: string; body: Uint8Array } {
  const silent = silence(textIn(valueAt(body, "response_format")) ?? "mp3");
  if (valueAt(body, "stream_format") !== "sse") return silent;
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const events = [
    { type: "speech.audio.delta", audio: encodeBase64(silent.body) },
    { type: "speech.audio.done", usage },
  ];
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return { contentType: "text/event-stream; charset=utf-8", body: bytesOf(frames.join("")) };
}
