import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { hasPython } from "../support/python.ts";

const OPENED = `
import { createRequire } from "node:module";
const require = createRequire(${JSON.stringify(join(rootDir, "node_modules", "x.js"))});
const { WebSocket } = require("ws");
const base = process.env.OPENAI_BASE_URL;
const closed = (socket) => new Promise((done) => {
  socket.on("error", ({ message }) => console.log(message));
  socket.on("open", () => console.log("open"));
  socket.on("close", () => done());
});
`;

const REALTIME_SDK = `
const { OpenAI } = require("openai");
const { OpenAIRealtimeWS } = require("openai/realtime/ws");
const realtime = new OpenAIRealtimeWS({ model: "m" }, new OpenAI({ apiKey: "own" }));
realtime.on("error", ({ message }) => console.log(message));
await closed(realtime.socket);
`;
const BY_VARIABLE = 'await closed(new WebSocket(base.replace("http:", "ws:") + "/realtime?model=m"));';
const BY_CODE = 'await closed(new WebSocket("wss://api.openai.com/v1/realtime?model=m"));';

const PYTHON_TLS = `
import os, socket, ssl
from urllib.parse import urlsplit
there = urlsplit(os.environ["OPENAI_BASE_URL"])
try:
    plain = socket.create_connection((there.hostname, there.port), 20)
    ssl.create_default_context().wrap_socket(plain, server_hostname="localhost")
    print("open")
except OSError as error:
    print(error)
`;

const PYTHON_UPGRADE = `
import http.client
connection = http.client.HTTPSConnection("api.openai.com", timeout=20)
headers = {"connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13"}
connection.request("GET", "/v1/realtime?model=m", headers={**headers, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="})
reply = connection.getresponse()
print(reply.status, reply.read().decode())
`;

const SPOKE_TLS =
  "A call to Tapedeck got no response. A client used TLS (wss: or https:) with Tapedeck's plain address. Nothing was sent. WebSockets are not supported yet.";
const REFUSED = "it opens a WebSocket, which Tapedeck cannot answer, so it was refused";

const files = (content: string) => ({ "ask.mjs": OPENED + content, "ask.py": content });
const COMMANDS = { node: [process.execPath, "ask.mjs"], python: ["python3", "ask.py"] };

interface Client {
  readonly client: string;
  readonly by: keyof typeof COMMANDS;
  readonly content: string;
  readonly named: string;
}

const CLIENTS: readonly Client[] = [
  {
    client: "OpenAI's SDK, which makes wss: of the variable's address",
    by: "node",
    content: REALTIME_SDK,
    named: SPOKE_TLS,
  },
  { client: "ws, with the variable's address", by: "node", content: BY_VARIABLE, named: REFUSED },
  { client: "ws, with the address in code", by: "node", content: BY_CODE, named: REFUSED },
  {
    client: "Python, over TLS to the variable's address",
    by: "python",
    content: PYTHON_TLS,
    named: SPOKE_TLS,
  },
  { client: "Python, with the address in code", by: "python", content: PYTHON_UPGRADE, named: REFUSED },
];

/** Runs the command in strict, lenient, and record mode, in this order. */
async function runInModes(command: readonly string[], content: string) {
  const ended = [];
  for (const mode of ["strict", "lenient", "record"]) {
    const cwd = aProject(files(content));
    ended.push(await tapedeck(["run", "--mode", mode, "--", ...command], { cwd }));
  }
  return ended;
}

describe("a WebSocket as the only call of a run is refused in every mode, named, and fails a strict run", () => {
  test.each(CLIENTS.filter(({ by }) => by === "node" || hasPython))(
    "from $client",
    async ({ by, content, named }) => {
      const ended = await runInModes(COMMANDS[by], content);

      for (const { stdout, stderr } of ended) {
        expect(stdout).toContain(named === REFUSED ? "400" : "alert");
        expect(stdout).not.toContain("open\n");
        expect(stderr).toContain(named);
        expect(stderr).not.toContain("No call reached Tapedeck");
      }
      expect(ended.map(({ code }) => code)).toEqual([3, 0, 0]);
    },
  );
});
