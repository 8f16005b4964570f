import { expect, it } from "vitest";
import { decodeText } from "../../src/core/base/wire/text.ts";
import { ADDRESS, ANSWERED, ASKED, STREAM } from "../support/other-recorders.ts";
import { anInteraction, importFiles } from "./imports.ts";

const OLLAMA = "http://127.0.0.1:11434";
const LINES = [
  '{"model":"m","message":{"role":"assistant","content":"Hi"},"done":false}\n',
  '{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}\n',
].join("");
const CUT = STREAM.slice(0, STREAM.indexOf(": a comment"));
const whole = JSON.stringify(ANSWERED);

it.each<readonly [as: string, url: string, answered: string, type: string | undefined]>([
  ["server-sent events", ADDRESS, STREAM, "text/event-stream; charset=utf-8"],
  ["lines of JSON", `${OLLAMA}/api/chat`, LINES, "application/x-ndjson"],
  ["a whole answer", ADDRESS, whole, undefined],
  ["a stream that is cut, which is skipped", ADDRESS, CUT, "none"],
])("a reply without headers to a streaming request is imported as %s", async (_, url, answered, type) => {
  const call = anInteraction({ url, asked: { ...ASKED, stream: true }, answered, replyHeaders: {} });
  const file = { "one.json": { interactions: [call] } };

  const { recordings, skipped } = await importFiles(file, "--upstream", `ollama=${OLLAMA}`);

  expect(recordings.map(({ reply }) => [reply.contentType, decodeText(reply.body)])).toEqual(
    type === "none" ? [] : [[type, answered]],
  );
  expect(skipped).toEqual(type === "none" ? [expect.stringContaining("without its terminal event")] : []);
});
