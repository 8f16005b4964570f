import { Agent, request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { openDeck } from "../../src/deck/deck.ts";
import { servingProcess } from "../cli/a-process.ts";
import { aProject } from "../cli/tapedeck.ts";
import { casesOf } from "../support/cases.ts";
import { aRecording, bytes } from "../support/a-recording.ts";
import { otherNode } from "./support/installed.ts";

const REPLY = `{"text":"${"hälfte ".repeat(40)}"}`;

/** The oldest and the newest that are supported. */
const NODES = casesOf({
  quick: ["node-20.11", "node-26"],
  long: ["node-20.11", "node-22", "node-24", "node-26"],
} as const);

/** Node's own server is given classes of ours, which lean on what its versions have in common. */
test.skipIf(otherNode("node-26") === undefined).each(NODES)(
  "the program replays byte for byte over one connection on %s (needs Linux on x64)",
  async (name) => {
    const node = otherNode(name) ?? "";
    const cwd = aProject();
    const recording = aRecording({ reply: { body: bytes(REPLY) } });
    const deck = openDeck({ dir: join(cwd, ".tapedeck") });
    await deck.store.save(recording);
    await deck.close();
    const served = await servingProcess(["--mode", "strict"], { cwd, node });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const { path, body } = recording.request;

    const ports = new Set<number | undefined>();
    for (const headers of [{}, {}, { "transfer-encoding": "chunked" }, { expect: "100-continue" }, {}]) {
      const reply = await post(`${served.ready.url}/openai${path}`, { agent, headers, body });
      ports.add(reply.socket.localPort);
      expect([reply.statusCode, reply.headers["x-tapedeck-outcome"]]).toEqual([200, "replayed"]);
      expect(await textOf(reply)).toBe(REPLY);
    }
    await served.end();

    expect(ports.size).toBe(1);
  },
);

interface Posted {
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The body in two pieces, the second once the server had time to see the first. */
function post(url: string, { agent, headers, body }: Posted): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = "transfer-encoding" in headers ? {} : { "content-length": body.byteLength };
    const all = { "content-type": "application/json", ...length, ...headers };
    const sent = request(url, { method: "POST", agent, headers: all }, resolve);
    sent.once("error", reject);
    sent.flushHeaders();
    setTimeout(() => sent.write(body.subarray(0, 20)), 20);
    setTimeout(() => sent.end(body.subarray(20)), 40);
  });
}
