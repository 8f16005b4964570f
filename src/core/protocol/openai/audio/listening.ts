import { sizeOf } from "../../../match/differences/excerpt.ts";
import type { SseEvent } from "../../../wire/sse.ts";
import { bytesOf, textOf } from "../../../wire/text.ts";
import { composedEvents, composedJson, piecesOf } from "../../composed.ts";
import { operationFrom } from "../../operation.ts";
import type { Composed, Projection, Protocol, ProtocolRequest, Reply, ReplyDraft } from "../../protocol.ts";
import { fileParts, formFacts, formSettings, formWith, type Form } from "../../reading/form.ts";
import {
  errorsIn,
  fieldsOf,
  isFields,
  jsonIn,
  jsonText,
  listOf,
  textIn,
  type Fields,
} from "../../reading/lenient.ts";
import { textParts } from "../../reading/parts.ts";
import { isWholeJson, readReply, replyReader } from "../../reading/reply.ts";
import { usageIn } from "../../reading/usage.ts";
import { typedStream } from "../../stream-rules.ts";

/**
 * What a recording of sound says, in its language or in English. The sound comes in a multipart form.
 * Source: platform.openai.com/docs/api-reference/audio/createTranscription, 2026-11.
 */
export const openaiListening: readonly Protocol[] = [
  listening("transcriptions", "transcribe"),
  listening("translations", "translate"),
];

function listening(name: string, verb: string): Protocol {
  return operationFrom<Form>({
    operation: `audio.${name}`,
    path: `/audio/${name}`,
    body: soundOf,
    facts(form) {
      const [file] = form.files;
      const what =
        file === undefined
          ? (form.field("url") ?? "sound")
          : `${file.name}, ${sizeOf(file.content.byteLength)}`;
      return formFacts(form, `${what} to ${verb}`);
    },
    messages: (form) => [{ role: `to ${verb}`, parts: fileParts(form) }],
    settings: (form) => formSettings(form, ["model", "stream"]),
    project,
    stream: typedStream({ terminal: ["transcript.text.done"], failed: ["error"] }),
    compose,
    // Text and subtitles have no end of their own; JSON is cut where it does not parse.
    isWhole: (body) => !/^\uFEFF?\s*\{/.test(textOf(body)) || isWholeJson(body),
  });
}

const readForm = formWith("Listening");
const readFormWithFile = formWith("Listening", "file");

/** Groq and Mistral take the address of a file as well as the file. */
function soundOf(request: ProtocolRequest): Form {
  if (request.body.kind === "empty") return readFormWithFile(request);
  const form = readForm(request);
  const isAddressed = ["url", "file_url", "file_id"].some((name) => form.field(name) !== undefined);
  return isAddressed ? form : readFormWithFile(request);
}

/** What was heard: JSON with or without segments, plain text, subtitles, or a stream. */
function project(reply: Reply): Projection {
  const read = readReply(reply);
  return read.kind === "text" ? heard(read.text.trimEnd()) : projectData(reply);
}

const projectData = replyReader({
  whole(fields, _reply, value) {
    const { text } = fields;
    if (typeof text !== "string") return isFields(value) ? undefined : heard(jsonText(value));
    return {
      ...heard(speakers(fields) ?? text),
      usage: usageIn(fields["usage"], "responses"),
      model: textIn(fields["model"]),
    };
  },
  stream(events: readonly SseEvent[]) {
    const all = events.map(({ data }) => fieldsOf(jsonIn(data)));
    const done = all.findLast(({ type }) => type === "transcript.text.done");
    const text = textIn(done?.["text"]) ?? all.map(({ delta }) => textIn(delta) ?? "").join("");
    return { read: { ...heard(text), usage: usageIn(done?.["usage"], "responses") }, errors: errorsIn(all) };
  },
});

/** Who said what, where the model told speakers apart. */
function speakers(fields: Fields): string | undefined {
  const segments = listOf(fields["segments"]).map(fieldsOf);
  if (segments.length === 0 || !segments.every((segment) => typeof segment["speaker"] === "string"))
    return undefined;
  return segments.map(({ speaker, text }) => `${String(speaker)}: ${(textIn(text) ?? "").trim()}`).join("\n");
}

const heard = (text: string): Projection => ({ messages: [{ role: "assistant", parts: textParts(text) }] });

const CUE = "00:00:00.000 --> 00:00:01.000";

function compose(draft: ReplyDraft, form: Form): Composed {
  const { text } = draft;
  const format = form.field("response_format") ?? "json";
  const plain = new Map([
    ["text", `${text}\n`],
    ["srt", `1\n${CUE.replaceAll(".", ",")}\n${text}\n`],
    ["vtt", `WEBVTT\n\n${CUE}\n${text}\n`],
  ]).get(format);
  if (plain !== undefined) return { contentType: "text/plain; charset=utf-8", body: bytesOf(plain) };
  if (form.field("stream") === "true")
    return composedEvents([
      ...piecesOf(draft).map((delta) => ({ type: "transcript.text.delta", delta })),
      { type: "transcript.text.done", text },
    ]);
  const verbose = { task: "transcribe", language: "english", duration: 1, text, segments: [], words: [] };
  return composedJson(format === "verbose_json" ? verbose : { text });
}
