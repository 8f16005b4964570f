import { bytesOf } from "../../../wire/text.ts";
import { fileParts, formFacts, formOf, formSettings, type Form } from "../../reading/form.ts";
import type { Protocol, ProtocolRequest, ReplyDraft } from "../../protocol.ts";
import { sizeOf } from "../../../match/differences/excerpt.ts";
import { typedStream } from "../../stream-rules.ts";
import { isWholeTranscript, projectTranscript } from "./transcript.ts";

/**
 * What a recording of sound says, in its language or in English. The sound comes in a multipart form.
 * Source: platform.openai.com/docs/api-reference/audio/createTranscription, 2026-11.
 */
export const openaiListening: readonly Protocol[] = [
  listening("transcriptions", "transcribe"),
  listening("translations", "translate"),
];

function listening(name: string, verb: string): Protocol {
  return {
    operation: `audio.${name}`,
    accepts: (method, pathname) => method === "POST" && pathname.endsWith(`/audio/${name}`),
    facts: (request) => {
      const form = read(request);
      const [file] = form.files;
      const what =
        file === undefined
          ? (form.field("url") ?? "sound")
          : `${file.name}, ${sizeOf(file.content.byteLength)}`;
      return formFacts(form, `${what} to ${verb}`);
    },
    conversation: (request) => {
      const form = read(request);
      return {
        messages: [{ role: `to ${verb}`, parts: fileParts(form) }],
        settings: formSettings(form, ["model", "stream"]),
      };
    },
    project: projectTranscript,
    stream: typedStream({ terminal: ["transcript.text.done"], failed: ["error"] }),
    compose: (draft, request) => composeTranscript(draft, read(request)),
    isWhole: isWholeTranscript,
  };
}

/** Groq and Mistral take the address of a file as well as the file. */
function read(request: ProtocolRequest): Form {
  const form = formOf(request, { operation: "Listening", needs: [] });
  const isAddressed = ["url", "file_url", "file_id"].some((name) => form.field(name) !== undefined);
  return isAddressed ? form : formOf(request, { operation: "Listening", needs: ["file"] });
}

const CUE = "00:00:00.000 --> 00:00:01.000";

function composeTranscript({ text }: ReplyDraft, form: Form): { contentType: string; body: Uint8Array } {
  const format = form.field("response_format") ?? "json";
  const plain = {
    text: `${text}\n`,
    srt: `1\n${CUE.replaceAll(".", ",")}\n${text}\n`,
    vtt: `WEBVTT\n\n${CUE}\n${text}\n`,
  };
  if (format === "text" || format === "srt" || format === "vtt")
    return { contentType: "text/plain; charset=utf-8", body: bytesOf(plain[format]) };
  if (form.field("stream") === "true") {
    const lines = text.split(/(?<=\n)/).filter((line) => line !== "");
    const events = [
      ...lines.map((delta) => ({ type: "transcript.text.delta", delta })),
      { type: "transcript.text.done", text },
    ];
    const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    return { contentType: "text/event-stream; charset=utf-8", body: bytesOf(frames.join("")) };
  }
  const verbose = { task: "transcribe", language: "english", duration: 1, text, segments: [], words: [] };
  const reply = format === "verbose_json" ? verbose : { text };
  return { contentType: "application/json", body: bytesOf(JSON.stringify(reply)) };
}
