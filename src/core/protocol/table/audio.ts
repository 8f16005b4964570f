import { decodeBase64, encodeBase64 } from "../../base/base64.ts";
import { plainJson } from "../../base/json/json-tree.ts";
import { encodeUtf8, joinBytes, decodeText } from "../../base/wire/text.ts";
import { composeEvents, splitDraft } from "../base/composed.ts";
import type { ComposedReply, ConversationMessage, Protocol } from "../base/protocol.ts";
import { readFields, isFields, stringifyJson, readList, readText, type Fields } from "../../base/lenient.ts";
import { createMediaFromBytes } from "../base/media.ts";
import { createTextParts } from "../base/parts.ts";
import { isWholeJson, readReply } from "../base/reply.ts";
import { createProtocol, type RowReply } from "./row.ts";
import { getFieldText } from "./sent.ts";

const sound = (bytes: Uint8Array, type: string): ConversationMessage[] => [
  { role: "assistant", parts: [createMediaFromBytes("audio", bytes, { type })] },
];

const speechRow = createProtocol({
  operation: "audio.speech",
  call: "POST */audio/speech",
  label: "text to speak",
  prompt: ["/input"],
  takes: { what: "Speech synthesis", needs: ["model", "input"] },
  reply: {
    members: ["audio"],
    says: ({ audio }) => sound(joinBytes(readList(audio) as Uint8Array[]), "audio"),
    usage: ["responses", "/usage"],
    joined: (events) => ({
      audio: events.flatMap(({ audio }) => decodeBase64(readText(audio) ?? "") ?? []),
      usage: events.at(-1)?.["usage"],
    }),
  },
  stream: { terminal: ["speech.audio.done"], failed: ["error"] },
});

/**
 * Speech from a text: an audio file, or events with pieces of it if `stream_format` is "sse".
 * Source: platform.openai.com/docs/api-reference/audio/createSpeech, 2026-11.
 */
export const speech: Protocol = {
  ...speechRow,
  project(reply) {
    const type = reply.contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
    const isNamed = type.startsWith("audio/") || type === "application/octet-stream";
    if (!isNamed && readReply(reply).kind !== "text") return speechRow.project(reply);
    return { messages: sound(reply.body, isNamed ? type : "audio/unknown") };
  },
  /** Composes silence, because Tapedeck cannot turn a draft's text into speech. */
  compose(_draft, { body }) {
    const fields = readFields(body.kind === "json" ? plainJson(body.tree) : undefined);
    const silent = silence(readText(fields["response_format"]) ?? "mp3");
    if (fields["stream_format"] !== "sse") return silent;
    return composeEvents([
      { type: "speech.audio.delta", audio: encodeBase64(silent.body) },
      { type: "speech.audio.done", usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } },
    ]);
  },
  // Audio formats have no common end marker, so only the connection reports a truncation. Errors are JSON.
  isWhole: (body) => body.byteLength > 0 && (body[0] !== 0x7b || isWholeJson(body)),
};

/** A tenth of a second, in 16-bit samples of one channel at 24 kHz. */
const SAMPLES = new Uint8Array(4800);
/** The header of a WAV file with these samples. Source: soundfile.sapp.org/doc/WaveFormat. */
const WAV = "UklGRuQSAABXQVZFZm10IBAAAAABAAEAwF0AAIC7AAACABAAZGF0YcASAAA=";
/** An empty, and so silent, frame of MPEG 1 layer III at 128 kbit/s and 44.1 kHz. Source: ISO/IEC 11172-3. */
const MP3_FRAME = Uint8Array.from({ length: 417 }, (_, index) => [0xff, 0xfb, 0x90][index] ?? 0);

/** Composes silence in the requested format, or as WAV if the format needs an encoder. */
function silence(format: string): ComposedReply {
  if (format === "pcm") return { contentType: "audio/pcm", body: SAMPLES };
  if (format === "mp3") return { contentType: "audio/mpeg", body: joinBytes(Array(4).fill(MP3_FRAME)) };
  return { contentType: "audio/wav", body: joinBytes([decodeBase64(WAV) ?? SAMPLES, SAMPLES]) };
}

/** Replies as JSON with or without segments, or as events. Plain text and subtitles are shown unchanged. */
const HEARD: RowReply = {
  members: ["text", "segments"],
  says: (fields) => transcriptMessages(speakers(fields) ?? readText(fields["text"]) ?? ""),
  usage: ["responses", "/usage"],
  joined(events) {
    const done = events.findLast(({ type }) => type === "transcript.text.done");
    const text = readText(done?.["text"]) ?? events.map(({ delta }) => readText(delta) ?? "").join("");
    return { text, usage: done?.["usage"] };
  },
};

/**
 * Transcribes audio in its own language, or translates it into English. Groq and Mistral accept the URL of a
 * file as well as the file.
 * Source: platform.openai.com/docs/api-reference/audio/createTranscription, 2026-11.
 */
export const listening: readonly Protocol[] = [
  listeningTo("transcriptions", {
    label: ["{file} to transcribe", "{/url} to transcribe", "sound to transcribe"],
    role: "to transcribe",
  }),
  listeningTo("translations", {
    label: ["{file} to translate", "{/url} to translate", "sound to translate"],
    role: "to translate",
  }),
];

function listeningTo(
  name: string,
  { label, role }: { readonly label: readonly string[]; readonly role: string },
): Protocol {
  const row = createProtocol({
    operation: `audio.${name}`,
    call: `POST */audio/${name}`,
    label,
    takes: { what: "A transcription", needs: ["file|url|file_url|file_id"], form: true },
    sends: [[role]],
    reply: HEARD,
    stream: { terminal: ["transcript.text.done"], failed: ["error"] },
    sample: ({ fields }, { text }) =>
      fields["response_format"] === "verbose_json"
        ? { task: "transcribe", language: "english", duration: 1, text, segments: [], words: [] }
        : { text },
  });
  return {
    ...row,
    project(reply) {
      const read = readReply(reply);
      if (read.kind === "text") return { messages: transcriptMessages(read.text.trimEnd()) };
      const isOther = read.kind === "json" && !isFields(read.value);
      return isOther ? { messages: transcriptMessages(stringifyJson(read.value)) } : row.project(reply);
    },
    compose(draft, request) {
      const { settings } = row.conversation(request);
      const format = settings.find(([setting]) => setting === "response_format")?.[1] ?? "json";
      const plain = PLAIN[format]?.(draft.text);
      if (plain !== undefined) return { contentType: "text/plain; charset=utf-8", body: encodeUtf8(plain) };
      if (!row.facts(request).streaming) return row.compose(draft, request);
      return composeEvents([
        ...splitDraft(draft).map((delta) => ({ type: "transcript.text.delta", delta })),
        { type: "transcript.text.done", text: draft.text },
      ]);
    },
    // Text and subtitles have no end marker; truncated JSON does not parse.
    isWhole: (body) => !/^\uFEFF?\s*\{/.test(decodeText(body)) || isWholeJson(body),
  };
}

const CUE = "00:00:00.000 --> 00:00:01.000";
const PLAIN: Readonly<Record<string, (text: string) => string>> = {
  text: (text) => `${text}\n`,
  srt: (text) => `1\n${CUE.replaceAll(".", ",")}\n${text}\n`,
  vtt: (text) => `WEBVTT\n\n${CUE}\n${text}\n`,
};

/** Returns one line per segment with its speaker; undefined if the model did not identify the speakers. */
function speakers(fields: Fields): string | undefined {
  const segments = readList(fields["segments"]).map(readFields);
  if (segments.length === 0 || !segments.every((segment) => typeof segment["speaker"] === "string"))
    return undefined;
  return segments
    .map((one) => `${String(one["speaker"])}: ${(getFieldText(one, "/text") ?? "").trim()}`)
    .join("\n");
}

const transcriptMessages = (text: string): ConversationMessage[] => [
  { role: "assistant", parts: createTextParts(text) },
];
