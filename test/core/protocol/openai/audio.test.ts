import { describe, expect, it } from "vitest";
import { listening } from "../../../../src/core/protocol/table/audio.ts";
import { speech } from "../../../../src/core/protocol/table/audio.ts";
import { openaiDialect } from "../../../../src/core/protocol/dialects.ts";
import { bytesOf, textOf } from "../../../../src/core/base/wire/text.ts";
import { operationContract } from "../../../contract/operation-contract.ts";
import { openaiCall } from "../../../support/openai-client.ts";
import { casesOf, fails, says, text } from "../../../support/protocol-case.ts";
import { aRequest, trafficFixture } from "../../../support/traffic-fixture.ts";

const speechPath = "/v1/audio/speech";
const path = "/v1/audio/transcriptions";
const [transcriptions] = listening as [(typeof listening)[number]];
const spoken = casesOf("openai-audio", { provider: "openai", path: speechPath });
const heard = casesOf("openai-audio", { provider: "openai", path });
const usage = { inputTokens: 14, outputTokens: 3 };

const sound = (description: string, type: string, base64: string) =>
  says({ type: "media", media: "audio", description, url: `data:${type};base64,${base64}` });
const { reply } = trafficFixture("openai-audio", "speech", { provider: "openai", path: speechPath });

operationContract("OpenAI speech", {
  protocol: speech,
  dialect: openaiDialect,
  path: speechPath,
  sdk: openaiCall((client) =>
    client.audio.speech.create({ model: "gpt-4o-mini-tts", input: "Grüß dich", voice: "alloy" }),
  ),
  faults: [
    ["the body is empty", ""],
    ['"input" is missing', { model: "m" }],
  ],
  cases: [
    spoken("speech", {
      messages: sound("audio/mpeg, 1 KB", "audio/mpeg", Buffer.from(reply.body).toString("base64")),
    }),
    spoken("speech-events", {
      messages: sound("audio, 8 bytes", "audio", "//uQAAAAAAA="),
      usage: { inputTokens: 4, outputTokens: 20 },
      events: 3,
    }),
    spoken("speech-cut", { messages: sound("audio, 4 bytes", "audio", "//uQAA=="), events: 1 }, "cut"),
  ],
});

operationContract("OpenAI transcriptions", {
  protocol: transcriptions,
  dialect: openaiDialect,
  path,
  sdk: openaiCall((client) =>
    client.audio.transcriptions.create({
      model: "gpt-4o-transcribe",
      file: new File(["RIFF"], "hello.wav", { type: "audio/wav" }),
    }),
  ),
  faults: [
    ["the body is empty", ""],
    ['"file" is missing', { model: "whisper-1" }],
  ],
  cases: [
    heard("transcription", { messages: says(text("Hello there.")), usage }),
    heard("subtitles", { messages: says(text("1\n00:00:00,000 --> 00:00:01,000\nHello there.")) }),
    heard("speakers", { messages: says(text("A: Hello.\nB: Hi.")) }),
    heard("heard-stream", { messages: says(text("Hello there.")), usage, events: 3 }),
    heard("heard-cut", { messages: says(text("Hello")), events: 1 }, "cut"),
    heard(
      "heard-failed",
      { messages: [...says(text("Hello")), fails("server_error: The server had an error.")], events: 2 },
      "failed",
    ),
  ],
});

describe("sound", () => {
  it("that is sent is named by its file and size, and can be opened", () => {
    const { request } = trafficFixture("openai-audio", "heard-stream", { provider: "openai", path });

    expect(transcriptions.facts(request)).toEqual({
      model: "gpt-4o-transcribe",
      streaming: true,
      label: "hello.wav, 24 bytes to transcribe",
    });
    expect(transcriptions.conversation(request).messages).toEqual([
      {
        role: "to transcribe",
        parts: [
          expect.objectContaining({
            media: "audio",
            description: "hello.wav, audio/wav, 24 bytes",
            url: expect.stringContaining("data:audio/wav;base64,UklGR") as unknown,
          }),
        ],
      },
    ]);
  });

  it("may be somewhere instead, as some providers allow", () => {
    const request = aRequest({ path, body: { model: "m", file_url: "https://example.com/a.mp3" } });

    expect(transcriptions.facts(request).label).toBe("sound to transcribe");
  });

  it.each([
    ["mp3", "audio/mpeg", [0xff, 0xfb]],
    ["wav", "audio/wav", [0x52, 0x49]],
    ["pcm", "audio/pcm", [0, 0]],
    ["opus", "audio/wav", [0x52, 0x49]],
  ])("that a draft stands for is silence: %s as %s", (format, contentType, start) => {
    const request = aRequest({
      path: speechPath,
      body: { model: "m", input: "Hi", response_format: format },
    });

    const composed = speech.compose({ text: "Hi" }, request);

    expect(composed.contentType).toBe(contentType);
    expect([...composed.body.subarray(0, 2)]).toEqual(start);
  });

  it("is an error in disguise, or nothing, where it is no sound", () => {
    expect(speech.isWhole(bytesOf('{"error":{"message":"no"}}'))).toBe(false);
    expect(speech.isWhole(bytesOf(""))).toBe(false);
    expect(speech.isWhole(Uint8Array.from([0xff, 0xfb]))).toBe(true);
  });

  it.each([
    ["text", "Hello\n"],
    ["srt", "1\n00:00:00,000 --> 00:00:01,000\nHello\n"],
    ["vtt", "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nHello\n"],
  ])("that was heard is written from a draft as %s", (format, expected) => {
    const body = [["file"], ["response_format", format]].map(([name, value]) =>
      value === undefined
        ? `--x\r\nContent-Disposition: form-data; name="${name}"; filename="a.wav"\r\n\r\nRIFF\r\n`
        : `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const contentType = "multipart/form-data; boundary=x";
    const request = aRequest({ path, body: Buffer.from(`${body.join("")}--x--\r\n`), contentType });

    expect(textOf(transcriptions.compose({ text: "Hello" }, request).body)).toBe(expected);
  });
});

it("says of an empty body what listening takes", () => {
  const empty = aRequest({ path, body: "" });

  expect(() => transcriptions.facts(empty)).toThrow(
    expect.objectContaining({ hint: 'Listening takes "file" as a multipart form or as JSON.' }),
  );
});
