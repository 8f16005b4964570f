import { inTurn, times, type Makers } from "./place.ts";
import {
  bytes,
  eventsReply,
  formRequest,
  jsonReply,
  jsonRequest,
  namedEvents,
  STYLES,
  type MadeReply,
} from "./wire.ts";

const usageOfTokens = { input_tokens: 20, output_tokens: 9, total_tokens: 29 };

const sound = { field: "file", name: "quay “west”.wav", type: "audio/wav", content: "RIFF....WAVEfmt " };
const picture = { field: "image", name: "quay.png", type: "image/png", content: "PNG....IHDR" };

/** The operations of OpenAI that are no talk: texts, vectors, pictures, sound. Formats: platform.openai.com/docs/api-reference. */
export const otherMakers: Makers = {
  completions: ({ base, voice }) =>
    times(4, (index) => {
      const stream = index % 2 === 1;
      const head = { id: voice.id("cmpl-"), object: "text_completion", created: 1, model: "corpus-text-1" };
      const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };
      const prompt = inTurn([voice.text(), [voice.text()], voice.sentence(), voice.text()], index);
      const body = { model: "corpus-text-1", prompt, max_tokens: 64, ...(stream && { stream }) };
      const said = voice.text();
      const choice = (text: string, finish_reason: string | null = null): object => ({
        ...head,
        choices: [{ index: 0, text, logprobs: null, finish_reason }],
      });
      const chunks = [
        ...voice.pieces(said).map((piece) => choice(piece)),
        { ...choice("", "stop"), usage },
        "[DONE]",
      ];
      return {
        name: `${stream ? "stream" : "whole"}-${index}`,
        request: jsonRequest(`${base}/completions`, body),
        reply: stream
          ? eventsReply(
              chunks.map((data) => ({ data })),
              inTurn(STYLES, index),
            )
          : jsonReply({ ...choice(said, "length"), usage }, "spaced"),
      };
    }),
  embeddings: ({ base, voice }) =>
    times(2, (index) => {
      const input = index === 0 ? voice.text() : [voice.text(), voice.sentence()];
      const encoding_format = index === 0 ? "float" : "base64";
      const data = [input].flat().map((_, at) => ({
        object: "embedding",
        index: at,
        embedding: index === 0 ? voice.numbers(12) : voice.base64(48),
      }));
      return {
        name: encoding_format,
        request: jsonRequest(`${base}/embeddings`, { model: "corpus-embed-1", input, encoding_format }),
        reply: jsonReply({
          object: "list",
          model: "corpus-embed-1",
          data,
          usage: { prompt_tokens: 8, total_tokens: 8 },
        }),
      };
    }),
  "images.generations": ({ base, voice }) => [
    {
      name: "whole",
      request: jsonRequest(`${base}/images/generations`, { model: "corpus-image-1", prompt: voice.text() }),
      reply: jsonReply({
        created: 1,
        data: [{ b64_json: voice.base64(120), revised_prompt: voice.sentence() }],
        usage: usageOfTokens,
      }),
    },
    {
      name: "stream",
      request: jsonRequest(`${base}/images/generations`, {
        model: "corpus-image-1",
        prompt: voice.text(),
        stream: true,
        partial_images: 1,
      }),
      reply: pictures("image_generation", voice.base64(90), voice.base64(120)),
    },
  ],
  "images.edits": ({ base, voice }) => [
    {
      name: "whole",
      request: formRequest(`${base}/images/edits`, { prompt: voice.text() }, picture),
      reply: jsonReply({ created: 1, data: [{ b64_json: voice.base64(120) }], usage: usageOfTokens }),
    },
    {
      name: "stream",
      request: formRequest(`${base}/images/edits`, { prompt: voice.text(), stream: "true" }, picture),
      reply: pictures("image_edit", voice.base64(60), voice.base64(90)),
    },
  ],
  "images.variations": ({ base, voice }) => [
    {
      name: "whole",
      request: formRequest(`${base}/images/variations`, { n: "1", user: voice.id("u-") }, picture),
      reply: jsonReply({ created: 1, data: [{ url: "https://pictures.example/one.png" }] }, "indented"),
    },
  ],
  "audio.speech": ({ base, voice }) => {
    const body = { model: "corpus-speech-1", voice: "calm", input: voice.text() };
    return [
      {
        name: "sound",
        request: jsonRequest(`${base}/audio/speech`, body),
        // Bytes that are no text in any encoding.
        reply: { status: 200, contentType: "audio/mpeg", body: noise(1_500) },
      },
      {
        name: "stream",
        request: jsonRequest(`${base}/audio/speech`, { ...body, stream_format: "sse" }),
        reply: namedEvents([
          { type: "speech.audio.delta", audio: voice.base64(300) } as { type: string },
          { type: "speech.audio.done", usage: usageOfTokens } as { type: string },
        ]),
      },
    ];
  },
  "audio.transcriptions": ({ base, voice }) => {
    const path = `${base}/audio/transcriptions`;
    const said = voice.text();
    return [
      {
        name: "json",
        request: formRequest(path, { model: "corpus-ear-1" }, sound),
        reply: jsonReply({ text: said, usage: usageOfTokens }),
      },
      {
        name: "subtitles",
        request: formRequest(path, { model: "corpus-ear-1", response_format: "vtt" }, sound),
        reply: plainText("WEBVTT\n\n00:00:00.000 --> 00:00:02.500\nSeven boats at dawn.\n"),
      },
      {
        name: "stream",
        request: formRequest(path, { model: "corpus-ear-1", stream: "true" }, sound),
        reply: namedEvents([
          ...voice
            .pieces(said)
            .map((delta) => ({ type: "transcript.text.delta", delta }) as { type: string }),
          { type: "transcript.text.done", text: said, usage: usageOfTokens } as { type: string },
        ]),
      },
    ];
  },
  "audio.translations": ({ base, voice }) => [
    {
      name: "json",
      request: formRequest(
        `${base}/audio/translations`,
        { model: "corpus-ear-1", prompt: voice.sentence() },
        sound,
      ),
      reply: jsonReply({ text: voice.text() }, "spaced"),
    },
    {
      name: "stream",
      request: formRequest(`${base}/audio/translations`, { model: "corpus-ear-1", stream: "true" }, sound),
      reply: namedEvents([{ type: "transcript.text.done", text: voice.text() } as { type: string }]),
    },
  ],
  moderations: ({ base, voice }) => [
    {
      name: "texts",
      request: jsonRequest(`${base}/moderations`, {
        model: "corpus-judge-1",
        input: [voice.text(), voice.text()],
      }),
      reply: jsonReply({
        id: voice.id("modr-"),
        model: "corpus-judge-1",
        results: times(2, (at) => ({
          flagged: at === 1,
          categories: { harassment: at === 1, violence: false },
          category_scores: { harassment: 0.71, violence: 0.01 },
        })),
      }),
    },
  ],
};

function pictures(kind: string, partial: string, whole: string): MadeReply {
  return namedEvents([
    { type: `${kind}.partial_image`, b64_json: partial, partial_image_index: 0 } as { type: string },
    { type: `${kind}.completed`, b64_json: whole, usage: usageOfTokens } as { type: string },
  ]);
}

function plainText(text: string): MadeReply {
  return { status: 200, contentType: "text/plain; charset=utf-8", body: bytes(text) };
}

function noise(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * 197 + 251) % 256);
}
