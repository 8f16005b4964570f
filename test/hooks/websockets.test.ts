import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { aRealtimeServer } from "../support/a-realtime-server.ts";
import { casesOf } from "../support/cases.ts";
import { hasPython } from "../support/python.ts";

const SAID = `
import { createRequire } from "node:module";
const require = createRequire(${JSON.stringify(join(rootDir, "node_modules", "x.js"))});
const base = process.env.OPENAI_BASE_URL;
const messages = (text) => [
  { type: "conversation.item.create", item: { type: "message", role: "user", content: [{ type: "input_text", text }] } },
  { type: "response.create" },
];
`;

const BY_SDK = `
const { OpenAI } = require("openai");
const { OpenAIRealtimeWS } = require("openai/realtime/ws");
const realtime = new OpenAIRealtimeWS({ model: "gpt-realtime" }, new OpenAI({ apiKey: process.env.OPENAI_API_KEY }));
realtime.on("session.created", () => messages("hello").forEach((message) => realtime.send(message)));
realtime.on("response.output_text.delta", ({ delta }) => console.log(JSON.stringify(delta)));
realtime.on("response.done", () => realtime.close());
realtime.on("error", ({ message }) => console.log("error", message));
await new Promise((done) => realtime.socket.on("close", (code, reason) => done(console.log("closed", code, String(reason)))));
`;

const BY_WS = (address: string): string => `
const { WebSocket } = require("ws");
const socket = new WebSocket(${address}, { headers: { authorization: "Bearer " + process.env.OPENAI_API_KEY } });
socket.on("message", (data) => {
  const { type, delta, error } = JSON.parse(data);
  if (type === "error") console.log("error", error.message);
  if (type === "session.created") messages("hello").forEach((message) => socket.send(JSON.stringify(message)));
  if (type === "response.output_text.delta") console.log(JSON.stringify(delta));
  if (type === "response.done") socket.close(1000, "OK");
});
socket.on("error", ({ message }) => console.log("error", message));
await new Promise((done) => socket.on("close", (code, reason) => done(console.log("closed", code, String(reason)))));
`;

/** Like the global WebSocket of Node 22 and later. */
const BY_UNDICI = (address: string, options = ""): string => `
const { WebSocket, ProxyAgent } = require("undici");
const protocols = ["realtime", "openai-insecure-api-key." + process.env.OPENAI_API_KEY];
const socket = new WebSocket(${address}, { protocols, ${options} });
socket.onmessage = ({ data }) => {
  const { type, delta, error } = JSON.parse(data);
  if (type === "error") console.log("error", error.message);
  if (type === "session.created") messages("hello").forEach((message) => socket.send(JSON.stringify(message)));
  if (type === "response.output_text.delta") console.log(JSON.stringify(delta));
  if (type === "response.done") socket.close(1000, "OK");
};
socket.onerror = ({ message }) => console.log("error", message);
socket.onclose = ({ code, reason }) => console.log("closed", code, reason);
`;

const PYTHON = `
import base64, http.client, json, os, socket, ssl, struct
def read(connection, length):
    data = b""
    while len(data) < length:
        data += connection.recv(length - len(data))
    return data
def receive(connection):
    kind, length = read(connection, 2)
    if length == 126:
        length = struct.unpack(">H", read(connection, 2))[0]
    return kind & 15, read(connection, length)
def send(connection, kind, data):
    length = struct.pack(">BBH", 128 | kind, 254, len(data)) if len(data) > 125 else struct.pack(">BB", 128 | kind, 128 | len(data))
    connection.sendall(length + bytes(4) + data)
connection = ssl.create_default_context().wrap_socket(socket.create_connection(("api.openai.com", 443), 20), server_hostname="api.openai.com")
connection.sendall(("GET /v1/realtime?model=gpt-realtime HTTP/1.1\\r\\nHost: api.openai.com\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n"
    "Authorization: Bearer " + os.environ["OPENAI_API_KEY"] + "\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n").encode())
head = b""
while not head.endswith(b"\\r\\n\\r\\n"):
    head += connection.recv(1)
item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}
while True:
    kind, data = receive(connection)
    if kind == 8:
        print("closed", struct.unpack(">H", data[:2])[0], data[2:].decode())
        break
    if kind == 9:
        send(connection, 10, data)
        continue
    event = json.loads(data)
    if event["type"] == "session.created":
        for message in ({"type": "conversation.item.create", "item": item}, {"type": "response.create"}):
            send(connection, 1, json.dumps(message).encode())
    elif event["type"] == "response.output_text.delta":
        print(json.dumps(event["delta"]))
    elif event["type"] == "error":
        print("error", event["error"]["message"])
    elif event["type"] == "response.done":
        send(connection, 8, struct.pack(">H", 1000) + b"OK")
`;

const CLIENTS = [
  {
    client: "OpenAI's SDK, which makes wss: of the variable's address",
    file: "ask.mjs",
    content: SAID + BY_SDK,
  },
  {
    client: "ws, with the address in code",
    file: "ask.mjs",
    content: SAID + BY_WS('"wss://api.openai.com/v1/realtime?model=gpt-realtime"'),
  },
  {
    client: "undici, with the variable's address",
    file: "ask.mjs",
    content: SAID + BY_UNDICI('base.replace("http:", "ws:") + "/realtime?model=gpt-realtime"'),
  },
  {
    client: "undici without hooks, through the proxy",
    file: "ask.mjs",
    content:
      SAID +
      BY_UNDICI(
        '"wss://api.openai.com/v1/realtime?model=gpt-realtime"',
        "dispatcher: new ProxyAgent(process.env.WSS_PROXY)",
      ),
    before: ["env", "-u", "NODE_OPTIONS"],
    option: "--proxy",
  },
  { client: "Python, with the address in code", file: "ask.py", content: PYTHON },
];

/** One client of each language by the address in its code, unless there is time for all. */
const TRIED = casesOf({
  quick: CLIENTS.filter(({ client }) => /^ws.*in code|Python/.test(client)),
  long: CLIENTS,
});

describe("a session is recorded, replayed frame by frame, and missed in the API's own way", () => {
  test.each(TRIED.filter(({ file }) => file === "ask.mjs" || hasPython))(
    "from $client",
    async ({ client, file, content, before = [], option }) => {
      const upstream = await aRealtimeServer();
      const cwd = aProject({ [file]: content });
      const command = [
        ...(option === undefined ? [] : [option]),
        "--",
        ...before,
        file === "ask.mjs" ? process.execPath : "python3",
        file,
      ];
      const env = { OPENAI_API_KEY: "sk-own" };
      const recording = ["run", "--mode", "record", "--upstream", `openai=${upstream.url}`];

      const missed = await tapedeck(["run", ...command], { cwd, env });
      const recorded = await tapedeck([...recording, ...command], { cwd, env });
      const replayed = await tapedeck(["run", ...command], { cwd });

      expect(missed.stdout).toContain("error No recording for this");
      expect(missed.stdout).toContain("closed 1008 tapedeck_miss: ");
      expect(missed.stderr).toContain("1 missing");
      expect(recorded.stdout).toContain('"Echo: "\n"hello"\nclosed 1000 OK\n');
      expect(recorded.stderr).toContain("1 recorded");
      expect(replayed.stdout).toBe(recorded.stdout);
      expect(replayed.stderr).toContain("1 replayed · 0 missing · 0 sent");
      expect(upstream.opened.map(({ url }) => url)).toEqual(["/v1/realtime?model=gpt-realtime"]);
      expect([missed.code, recorded.code, replayed.code]).toEqual([3, 0, 0]);
      const { stdout } = await tapedeck(["list", "--json"], { cwd });
      // Python's hooks attribute the calls of clients, not of raw sockets.
      const isAttributed = file === "ask.mjs" && !client.includes("without hooks");
      expect(stdout).toContain(isAttributed ? `"test":{"file":"ask.mjs"` : `"test":null`);
    },
  );
});

test("a client without hooks that uses TLS is refused, and the report names the plain address", async () => {
  const code = `
const there = new URL(process.env.OPENAI_BASE_URL);
const socket = require("node:net").connect({ host: there.hostname, port: Number(there.port) });
socket.on("data", (data) => console.log(data.toString("hex") === "15030300020228" ? "alert" : data.toString()));
socket.write(Buffer.from("160301000100", "hex"));
`;
  const cwd = aProject({ "ask.cjs": code });
  const { stdout, stderr } = await tapedeck(["run", "--", process.execPath, "ask.cjs"], { cwd });

  expect(stdout).toContain("alert");
  expect(stderr).toContain(
    "A client without Tapedeck's hooks needs ws: and http: in place of wss: and https:",
  );
});
