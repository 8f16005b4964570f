// One server in a separate process: `ours`, `bare` (node:http that answers the same bodies) or `aimock`.
import { createServer } from "node:http";
import { LLMock } from "@copilotkit/aimock";
import { openDeck } from "../dist/index.js";
import { chatReply, chatStream, fixture } from "./calls.mjs";

const [kind, dir, replies, shape] = process.argv.slice(2);
const servers = { ours, bare, aimock };
process.send(await servers[kind]());

async function ours() {
  const deck = openDeck({ dir });
  const server = await deck.listen();
  const { token } = server.admit(deck.createRun("strict"));
  return { port: server.port, path: `/${token}/openai/v1/chat/completions` };
}

async function bare() {
  const make = shape === "stream" ? chatStream : chatReply;
  const bodies = Array.from({ length: Number(replies) }, (_, index) => Buffer.from(make(index)));
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
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: server.address().port, path: "/v1/chat/completions" };
}

/** aimock with a short journal, because the journal does not affect answers. */
async function aimock() {
  const mock = new LLMock({ port: 0, host: "127.0.0.1", latency: 0, journalMaxEntries: 1 });
  mock.addFixtures(Array.from({ length: Number(replies) }, (_, index) => fixture(index, shape === "stream")));
  await mock.start();
  return { port: mock.port, path: "/v1/chat/completions" };
}
