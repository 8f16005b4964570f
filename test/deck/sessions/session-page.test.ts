import { expect, test } from "vitest";
import { renderRecording } from "../../../src/core/view/recording-document.ts";
import { labelAnswer } from "../../../src/core/view/conversation/turn-facts.ts";
import { aRealtimeServer, type Behave } from "../../support/a-realtime-server.ts";
import { aSessionDeck, REALTIME, UPDATE } from "../../support/a-session-deck.ts";
import { aSocketClient } from "../../support/a-socket-client.ts";

/** Records a session in which the client sends these messages, each after the server's reply to the one before. */
async function aPage(path: string, behave: Behave, messages: readonly object[]): Promise<string> {
  const upstream = await aRealtimeServer(behave);
  const upstreams = { openai: upstream.url, gemini: upstream.url };
  const { url, deck, reported } = await aSessionDeck(upstreams, { path });
  const client = await aSocketClient(url("record"));
  for (const [index, message] of messages.entries()) {
    client.send(message);
    await client.until(`"reply_to":${index}`);
  }
  await client.close();
  const [{ entry } = {}] = await reported(1);
  const view = deck.describe(await deck.store.read(entry ?? ""));
  const { text } = renderRecording(view, { now: Date.now() });
  return `${text.split("\n").slice(3).join("\n")}\n${labelAnswer(view.projection.messages)}`;
}

const AUDIO = Buffer.alloc(480, 1).toString("base64");
const APPEND = { type: "input_audio_buffer.append", audio: AUDIO };
const spoken = (transcript: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_audio", transcript }],
});

// `vitest FILE -u` writes the pages anew.
test("the page of a session shows its messages in their order, with transcripts, and audio as counts", async () => {
  const page = await aPage(
    REALTIME,
    (ws, send) => {
      let count = 0;
      ws.on("message", () => {
        if (count === 3)
          send({
            type: "conversation.item.input_audio_transcription.completed",
            transcript: "What is the time?",
          });
        if (count === 3) send({ type: "response.done", response: { output: [spoken("Ten to")] } });
        if (count === 6) send({ type: "response.done", response: { output: [spoken("Yes?")] } });
        send({ type: "noted", reply_to: count });
        count += 1;
      });
    },
    [UPDATE, APPEND, APPEND, APPEND, APPEND, APPEND, { type: "input_audio_buffer.commit" }, APPEND, APPEND],
  );

  await expect(`${page}\n`).toMatchFileSnapshot("session-pages/transcripts.txt");
});

test("the page of a Gemini session joins the pieces of a turn", async () => {
  const part = (one: object) => ({ serverContent: { modelTurn: { parts: [one] } } });
  const audio = part({ inlineData: { mimeType: "audio/pcm", data: AUDIO } });
  const transcript = (text: string) => ({ serverContent: { outputTranscription: { text } } });
  const page = await aPage(
    "/gemini/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent",
    (ws, send) => {
      let count = 0;
      ws.on("message", () => {
        if (count === 1)
          for (const message of [transcript("Good "), audio, transcript("morning."), audio]) send(message);
        if (count === 1) send({ serverContent: { turnComplete: true } });
        if (count === 1) send(transcript("Still there?"));
        send({ reply_to: count });
        count += 1;
      });
    },
    [
      {
        setup: { model: "models/gemini-live", systemInstruction: { role: "user", parts: [{ text: "Hi." }] } },
      },
      { clientContent: { turns: [{ role: "user", parts: [{ text: "Hello" }] }] } },
    ],
  );

  await expect(`${page}\n`).toMatchFileSnapshot("session-pages/gemini.txt");
});
