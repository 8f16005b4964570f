// One server in a process of its own: `bare` (node:http that answers the same bodies) or `tapedeck`.
import { createServer } from "node:http";
import { openDeck } from "../dist/index.js";
import { chatReply, chatStream } from "./calls.mjs";

const [kind, dir, replies, shape] = process.argv.slice(2);

if (kind === "bare") {
  const make = shape === "stream" ? chatStream : chatReply;
  const bodies = Array.from({ length: Math.min(Number(replies), 10_000) }, (_, index) =>
    Buffer.from(make(index)),
  );
  const type = shape === "stream" ? "text/event-stream; charset=utf-8" : "application/json";
  let next = 0;
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = bodies[next++ % bodies.length];
      response.writeHead(200, { "content-type": type, "content-length": body.byteLength });
      response.end(body);
    });
  });
  server.listen(0, "127.0.0.1", () =>
    process.send({ port: server.address().port, path: "/v1/chat/completions" }),
  );
} else {
  const deck = openDeck({ dir });
  const server = await deck.listen();
  const { token } = server.admit(deck.createRun("strict"));
  process.send({ port: server.port, path: `/${token}/openai/v1/chat/completions` });
}
