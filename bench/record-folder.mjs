import { createServer } from "node:http";
import { openDeck } from "../dist/index.js";
import { chatReply, chatRequest, chatStream } from "./calls.mjs";

/** Records `count` calls through an upstream of our own into a folder; returns the number of recorded calls per second. */
export async function recordFolder(dir, count, stream = false) {
  const reply = async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const index = Number(/order (\d+)/.exec(body)[1]);
    response.writeHead(200, {
      "content-type": stream ? "text/event-stream; charset=utf-8" : "application/json",
    });
    response.end(stream ? chatStream(index) : chatReply(index));
  };
  const upstream = createServer((request, response) => void reply(request, response));
  await new Promise((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const deck = openDeck({ dir, upstreams: { openai: `http://127.0.0.1:${upstream.address().port}` } });
  const run = deck.createRun("record");
  const record = async (index) => {
    const headers = [["content-type", "application/json"]];
    const body = Buffer.from(chatRequest(index, stream));
    const call = { provider: "openai", method: "POST", path: "/v1/chat/completions", headers, body, run };
    const answer = await deck.engine.answer({ ...call, signal: new AbortController().signal });
    if (!(answer.reply.body instanceof Uint8Array)) for await (const _ of answer.reply.body);
  };
  const begun = performance.now();
  for (let index = 0; index < count; index += 20) {
    await Promise.all(
      Array.from({ length: Math.min(20, count - index) }, (_, offset) => record(index + offset)),
    );
  }
  const seconds = (performance.now() - begun) / 1000;
  await deck.close();
  upstream.close();
  return Math.round(count / seconds);
}
