import { describe, expect, it } from "vitest";
import { encodeRecording } from "../../../src/core/cassette/codec.ts";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import { loadScanner } from "../../../src/core/secrets/load-scanner.ts";
import { mayHoldSecret } from "../../../src/core/secrets/quick-look.ts";
import { recordingSecrets } from "../../../src/core/secrets/recording-secrets.ts";
import { finish } from "../../../src/core/steps.ts";
import { aRecording } from "../../support/a-recording.ts";
import { specimens } from "../../support/secret-corpus.ts";

const scan = await loadScanner();

/** Recordings that say a text, each in another way. */
const SAYING: Readonly<Record<string, (text: string) => Recording>> = {
  "in its prompt": (text) => aRecording({ question: `Use ${text} for it.` }),
  "in its reply": (text) => ofReply(JSON.stringify({ id: "1", content: `Use ${text} for it.` })),
  "in a list of names and values": (text) => ofReply(JSON.stringify({ env: [text.split(/[=:] ?/, 2)] })),
  "in the arguments of a tool call": (text) =>
    ofReply(JSON.stringify({ call: { arguments: JSON.stringify({ note: `a\n${text}\n"b"` }) } })),
  "in base64": (text) =>
    ofReply(JSON.stringify({ data: Buffer.from(`now ${text} then`).toString("base64") })),
  "in URL escapes": (text) => ofReply(JSON.stringify({ url: `/x?note=${encodeURIComponent(` ${text} `)}` })),
  "in a body that is no JSON": (text) => ofReply(`Use\n${text}\nfor it.`, "text/plain"),
  "in a body that is no text": (text) => ofReply(Buffer.from(`\xff\0${text}\0`, "latin1"), "audio/mpeg"),
  "in base64 in a body that is no text": (text) =>
    ofReply(
      Buffer.from(`\xff\0${Buffer.from(`now ${text} then`).toString("base64")}\0`, "latin1"),
      "audio/mpeg",
    ),
  "in an event": (text) => ofReply(eventsOf([`Use\n${text}\nfor "it".`]), "text/event-stream"),
  "in pieces": (text) =>
    ofReply(eventsOf(`Use ${text} for it.`.match(/.{1,7}/gs) ?? []), "text/event-stream"),
  "in the lines of NDJSON, in pieces": (text) =>
    ofReply(
      (`Use ${text} for it.`.match(/.{1,7}/gs) ?? []).map((said) => `${JSON.stringify({ said })}\n`).join(""),
      "application/x-ndjson",
    ),
  "in the name of its test": (text) =>
    aRecording({ test: { file: "a.test.ts", name: [`uses ${text} once`] } }),
};

function eventsOf(pieces: readonly string[]): string {
  return pieces
    .map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`)
    .join("");
}

function ofReply(body: string | Buffer, contentType = "application/json"): Recording {
  return aRecording({ reply: { body: Buffer.from(body), contentType } });
}

const mayHold = (recording: Recording): boolean =>
  finish(mayHoldSecret(encodeRecording(recording).text, recording, scan));

describe("a quick look at a recording", () => {
  it.each(Object.keys(SAYING))("passes no secret by that the whole search finds %s", (where) => {
    const recordings = specimens(7).map((one) => SAYING[where]?.(one.text) ?? aRecording());
    const found = recordings.filter((recording) => recordingSecrets(recording, scan).length > 0);

    expect(found.length).toBeGreaterThan(recordings.length / 3);
    expect(found.filter((recording) => !mayHold(recording))).toEqual([]);
  });

  it("spares recordings without any the whole search", () => {
    expect(mayHold(aRecording({ question: "Where is my order?\nIt is late." }))).toBe(false);
    expect(mayHold(ofReply(eventsOf(["It", " comes", " soon."]), "text/event-stream"))).toBe(false);
  });

  it("does not pass by what a hand wrote in escapes, or in a comment", () => {
    const { text: file } = encodeRecording(aRecording());
    const key = specimens(7).find(({ kind }) => kind === "OpenAI key")?.secret ?? "";
    const escaped = Array.from(key, (char) => `\\u00${char.charCodeAt(0).toString(16)}`).join("");

    for (const said of [
      `"note": "${escaped}",`,
      `// 5" wide\n"note": "${escaped}",`,
      `// ${key}\n`,
      `/* \\n ${key} */`,
    ])
      expect(finish(mayHoldSecret(file.replace('"format"', `${said} "format"`), aRecording(), scan))).toBe(
        true,
      );
  });
});
