import { expect, it } from "vitest";
import { decodeText } from "../../src/core/base/wire/text.ts";
import { ADDRESS, ANSWERED, ASKED, STREAM } from "../support/other-recorders.ts";
import { anInteraction, importFiles } from "./imports.ts";

const OLLAMA = "http://127.0.0.1:11434";
const LINES = [
  '{"model":"m","message":{"role":"assistant","content":"Hi"},"done":false}\n',
  '{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}\n',
].join("");

/** Imports a reply without headers to a streaming request. */
const importReply = (url: string, answered: string) => {
  const call = anInteraction({ url, asked: { ...ASKED, stream: true }, answered, replyHeaders: {} });
  return importFiles({ "one.json": { interactions: [call] } }, "--upstream", `ollama=${OLLAMA}`);
};

it.each<readonly [as: string, url: string, answered: string, type: string | undefined]>([
  ["server-sent events", ADDRESS, STREAM, "text/event-stream; charset=utf-8"],
  ["lines of JSON", `${OLLAMA}/api/chat`, LINES, "application/x-ndjson"],
  ["a whole answer", ADDRESS, JSON.stringify(ANSWERED), undefined],
])("a reply without headers to a streaming request is imported as %s", async (_, url, answered, type) => {
  const { recordings } = await importReply(url, answered);

  expect(recordings.map(({ reply }) => [reply.contentType, decodeText(reply.body)])).toEqual([
    [type, answered],
  ]);
});

it("a reply without headers is skipped if its stream is cut", async () => {
  const { recordings, skipped } = await importReply(ADDRESS, STREAM.slice(0, STREAM.indexOf(": a comment")));

  expect(recordings).toEqual([]);
  expect(skipped).toEqual([expect.stringContaining("without its terminal event")]);
});
