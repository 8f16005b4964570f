import { decodeBase64, encodeBase64 } from "../../../cassette/base64.ts";
import type { JsonObject } from "../../../json/json-tree.ts";
import { joinBytes, textOf } from "../../../wire/text.ts";
import { composedEvents } from "../../composed.ts";
import { operationFrom } from "../../operation.ts";
import type { Composed, Message, Projection, Protocol, Reply } from "../../protocol.ts";
import { errorsIn, fieldsOf, jsonIn, textIn } from "../../reading/lenient.ts";
import { mediaBytes } from "../../reading/media.ts";
import { textPart } from "../../reading/parts.ts";
import { isWholeJson, readReply, replyReader } from "../../reading/reply.ts";
import { factsWith, objectWith, shortLabel, textAt } from "../../reading/request.ts";
import { allBut } from "../../reading/settings.ts";
import { usageIn } from "../../reading/usage.ts";
import { typedStream } from "../../stream-rules.ts";

/**
 * Speech from a text: the sound itself, or events with pieces of it where `stream_format` is "sse".
 * Source: platform.openai.com/docs/api-reference/audio/createSpeech, 2026-11.
 */
export const openaiSpeech: Protocol = operationFrom({
  operation: "audio.speech",
  path: "/audio/speech",
  body: objectWith("Speech", "model", "input"),
  facts: (body) => ({
    ...factsWith(body, shortLabel(textAt(body, "input") ?? "") || "speech"),
    streaming: isStreamed(body),
  }),
  messages: (body) => [{ role: "user", parts: [textPart(textAt(body, "input") ?? "")] }],
  settings: allBut("model", "input"),
  project: projectSpeech,
  stream: typedStream({ terminal: ["speech.audio.done"], failed: ["error"] }),
  compose: (_draft, body) => composeSpeech(body),
  isWhole: isSound,
});

const isStreamed = (body: JsonObject): boolean => textAt(body, "stream_format") === "sse";

/** How a sound ends is up to its format: what breaks off is told by the connection. An error is JSON. */
function isSound(body: Uint8Array): boolean {
  return (
    body.byteLength > 0 && (body[0] !== 0x7b || (jsonIn(textOf(body)) !== undefined && isWholeJson(body)))
  );
}

function projectSpeech(reply: Reply): Projection {
  const type = reply.contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const isNamed = type.startsWith("audio/") || type === "application/octet-stream";
  if (isNamed || readReply(reply).kind === "text")
    return { messages: [sound(reply.body, isNamed ? type : "audio/unknown")] };
  return projectData(reply);
}

const projectData = replyReader({
  whole: (_fields, { body }) => ({ messages: [sound(body, "audio/unknown")] }),
  stream(events) {
    const all = events.map(({ data }) => fieldsOf(jsonIn(data)));
    const pieces = all.flatMap(({ audio }) => decodeBase64(textIn(audio) ?? "") ?? []);
    const usage = usageIn(all.at(-1)?.["usage"], "responses");
    return { read: { messages: [sound(joinBytes(pieces), "audio")], usage }, errors: errorsIn(all) };
  },
});

function sound(bytes: Uint8Array, type: string): Message {
  return { role: "assistant", parts: [mediaBytes("audio", bytes, { type })] };
}

/** Silence: what a draft says in words cannot be spoken here. */
function composeSpeech(body: JsonObject): Composed {
  const silent = silence(textAt(body, "response_format") ?? "mp3");
  if (!isStreamed(body)) return silent;
  return composedEvents([
    { type: "speech.audio.delta", audio: encodeBase64(silent.body) },
    { type: "speech.audio.done", usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } },
  ]);
}

/** A tenth of a second. */
const SAMPLES = 2400;
const RATE = 24_000;

/** Silence in the format that was asked for, or as WAV where making it would need an encoder. */
function silence(format: string): Composed {
  if (format === "pcm") return { contentType: "audio/pcm", body: new Uint8Array(SAMPLES * 2) };
  if (format === "mp3") return { contentType: "audio/mpeg", body: silentMp3() };
  return { contentType: "audio/wav", body: silentWav() };
}

/** 16-bit samples of one channel. Source of the header: soundfile.sapp.org/doc/WaveFormat. */
function silentWav(): Uint8Array {
  const data = SAMPLES * 2;
  const bytes = new Uint8Array(44 + data);
  const view = new DataView(bytes.buffer);
  const words: readonly (readonly [at: number, text: string])[] = [
    [0, "RIFF"],
    [8, "WAVE"],
    [12, "fmt "],
    [36, "data"],
  ];
  for (const [at, text] of words)
    for (let index = 0; index < 4; index += 1) view.setUint8(at + index, text.charCodeAt(index));
  view.setUint32(4, 36 + data, true);
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  view.setUint32(40, data, true);
  return bytes;
}

/** Frames of MPEG 1 layer III at 128 kbit/s and 44.1 kHz without any content are silent. Source: ISO/IEC 11172-3. */
function silentMp3(): Uint8Array {
  const frame = 417;
  const frames = 4;
  const bytes = new Uint8Array(frame * frames);
  for (let index = 0; index < frames; index += 1) bytes.set([0xff, 0xfb, 0x90, 0x00], index * frame);
  return bytes;
}
