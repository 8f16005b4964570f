import { join } from "node:path";
import { rootDir } from "../../scripts/host/paths.mjs";

/** A test file that sends the requests which `requests.json` has for each test. Some of their words change on every run. */
export const TEST_FILE = `
import { describe, test } from "node:test";
import assert from "node:assert";
import { randomUUID, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(${JSON.stringify(join(rootDir, "node_modules", "x.js"))});
const requests = JSON.parse(readFileSync(new URL("requests.json", import.meta.url), "utf8"));
const words = ["calm-lynx", "shy-otter", "brave-mole", "odd-elk", "wise-owl", "red-fox", "old-crow", "sly-cat"];
const filled = (body) => JSON.stringify(body)
  .replaceAll("{uuid}", randomUUID())
  .replaceAll("{time}", new Date().toISOString())
  .replaceAll("{epoch}", Date.now())
  .replaceAll("{word}", words[randomBytes(1)[0] % words.length] + "-" + randomBytes(2).toString("hex"));

const { OPENAI_BASE_URL, ANTHROPIC_BASE_URL } = process.env;
const addresses = {
  chat: OPENAI_BASE_URL + "/chat/completions",
  responses: OPENAI_BASE_URL + "/responses",
  messages: ANTHROPIC_BASE_URL + "/v1/messages",
};

/** Sends a request, and returns the id of its reply. */
async function send({ to = "chat", isFollowing, ...body }, before) {
  if (to === "realtime") return converse(body.texts);
  const whole = isFollowing ? { ...body, previous_response_id: before } : body;
  const reply = await fetch(addresses[to], {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: filled(whole),
  });
  const text = await reply.text();
  assert.equal(reply.status, 200, text);
  return /"id":"([^"]+)"/.exec(text)?.[1];
}

/** Sends these texts in a session, each after the reply to the one before. */
function converse(texts) {
  const { WebSocket } = require("ws");
  const socket = new WebSocket(OPENAI_BASE_URL.replace(/^http/, "ws") + "/realtime?model=gpt-realtime");
  const left = [...texts];
  const say = () => {
    const text = left.shift();
    if (text === undefined) return socket.close(1000);
    const item = { type: "message", role: "user", content: [{ type: "input_text", text }] };
    socket.send(JSON.stringify({ type: "conversation.item.create", item }));
    socket.send(JSON.stringify({ type: "response.create" }));
  };
  return new Promise((resolve, reject) => {
    socket.on("message", (data) => {
      const { type, error } = JSON.parse(data);
      if (type === "error") reject(new Error(error.message));
      if (type === "session.created" || type === "response.done") say();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve());
  });
}

describe("chat", () => {
  for (const [name, bodies] of Object.entries(requests))
    test(name, async () => {
      let before;
      for (const body of bodies) before = await send(body, before);
    });
});
`;

export type Body = Readonly<Record<string, unknown>>;

export interface PlantedMiss {
  readonly name: string;
  readonly recorded: readonly Body[];
  /** The requests that the test sends afterwards; absent if the recording is damaged instead. */
  readonly sent?: readonly Body[];
  /** Damages the recording whose text has this word. */
  readonly damages?: {
    readonly word: string;
    readonly by: "deletion" | "deletion of the first take" | "truncation" | "truncation of the last take";
  };
  /** Whether the project matches generated values by origin. */
  readonly origins?: true;
  /** The tool that repairs it; absent if it is recorded. "tapedeck_write_reply": its provider cannot be called. */
  readonly repair?: "tapedeck_add_rule" | "tapedeck_write_reply";
}

const chat = (content: string, more: Body = {}): Body => ({
  model: "gpt-4o-mini",
  messages: [
    { role: "system", content: "Answer in one word." },
    { role: "user", content },
  ],
  ...more,
});

const named = (name: string): Body => ({
  model: "gpt-4o-mini",
  messages: [{ role: "user", name, content: "Name a fish." }],
});

const tool = (name: string): Body => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: {} } },
});

const toolResult = (time: string, order = 17): Body => ({
  model: "gpt-4o-mini",
  messages: [
    { role: "user", content: `Is order ${order} on its way?` },
    {
      role: "assistant",
      tool_calls: [
        {
          id: "call_1",
          type: "function",
          function: { name: "look_up", arguments: JSON.stringify({ order }) },
        },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: JSON.stringify({ state: "sent", checked: time }) },
  ],
});

const claude = (content: string): Body => ({
  to: "messages",
  model: "claude-sonnet-4",
  max_tokens: 20,
  messages: [{ role: "user", content }],
});

const respond = (input: string, more: Body = {}): Body => ({
  to: "responses",
  model: "gpt-5-mini",
  input,
  ...more,
});
const follow = (input: string): Body => respond(input, { isFollowing: true });
const converse = (...texts: readonly string[]): Body => ({ to: "realtime", texts });

/** Misses of all kinds: new, changed, volatile, damaged, and deleted calls; identical calls, chains, and sessions. */
export const PLANTED: readonly PlantedMiss[] = [
  {
    name: "a changed prompt",
    recorded: [chat("Name a city in Peru.")],
    sent: [chat("Name a large city in Peru.")],
  },
  {
    name: "an id in the prompt",
    recorded: [chat("Summarize session {uuid} of the support desk.")],
    sent: [chat("Summarize session {uuid} of the support desk.")],
    repair: "tapedeck_add_rule",
  },
  {
    name: "a deleted recording",
    recorded: [chat("Name a violinist.")],
    damages: { word: "violinist", by: "deletion" },
  },
  {
    name: "a damaged recording",
    recorded: [chat("Name a volcano.")],
    damages: { word: "volcano", by: "truncation" },
  },
  {
    name: "no key",
    recorded: [],
    sent: [chat("Greet the visitor in Welsh.")],
    repair: "tapedeck_write_reply",
  },
  { name: "a new call", recorded: [], sent: [claude("How deep is Lake Baikal?")] },
  {
    name: "a changed system prompt",
    recorded: [chat("Name a bird.")],
    sent: [
      {
        model: "gpt-4o-mini",
        messages: [
          { role: "system", content: "Be verbose." },
          { role: "user", content: "Name a bird." },
        ],
      },
    ],
  },
  {
    name: "another model",
    recorded: [chat("Name a river.")],
    sent: [chat("Name a river.", { model: "gpt-4.1" })],
  },
  {
    name: "an id of unknown origin",
    recorded: [named("{word}")],
    sent: [named("{word}")],
    repair: "tapedeck_add_rule",
    origins: true,
  },
  {
    name: "a changed setting",
    recorded: [chat("Name a tree.", { temperature: 0 })],
    sent: [chat("Name a tree.", { temperature: 1 })],
  },
  {
    name: "a new tool",
    recorded: [chat("What time is it?")],
    sent: [chat("What time is it?", { tools: [tool("clock")] })],
  },
  {
    name: "a time in the prompt",
    recorded: [chat("It is {time}. Suggest a lunch.")],
    sent: [chat("It is {time}. Suggest a lunch.")],
    repair: "tapedeck_add_rule",
  },
  {
    name: "a random word in a message",
    recorded: [named("{word}")],
    sent: [named("{word}")],
    repair: "tapedeck_add_rule",
  },
  { name: "another provider", recorded: [chat("Name a desert.")], sent: [claude("Name a desert.")] },
  { name: "a stream", recorded: [chat("Name a cheese.")], sent: [chat("Name a cheese.", { stream: true })] },
  {
    name: "one call more",
    recorded: [chat("Name a planet.")],
    sent: [chat("Name a planet."), chat("Name a moon of it.")],
  },
  { name: "two new calls", recorded: [], sent: [chat("Who wrote Faust?"), claude("Who wrote Ulysses?")] },
  {
    name: "a time in a tool result",
    recorded: [toolResult("{epoch}")],
    sent: [toolResult("{epoch}")],
    repair: "tapedeck_add_rule",
  },
  {
    name: "a changed tool result",
    recorded: [toolResult("never", 4)],
    sent: [toolResult("twice, by phone", 4)],
  },
  {
    name: "a deleted take of identical calls",
    recorded: [chat("Name a poet."), chat("Name a poet.")],
    damages: { word: "poet", by: "deletion of the first take" },
  },
  {
    name: "a damaged take of identical calls",
    recorded: [chat("Throw a die."), chat("Throw a die.")],
    damages: { word: "Throw a die.", by: "truncation of the last take" },
  },
  {
    name: "a changed call of a chain",
    recorded: [respond("Name a lake."), follow("How deep is it?")],
    sent: [respond("Name a lake."), follow("How long is it?")],
  },
  {
    name: "a deleted first call of a chain",
    recorded: [respond("Name a glacier."), follow("Is it large?")],
    damages: { word: '"input": "Name a glacier."', by: "deletion" },
  },
  {
    name: "a changed message of a session",
    recorded: [converse("hello", "Name a fruit.")],
    sent: [converse("hello", "Name a nut.")],
  },
  { name: "a new session", recorded: [], sent: [converse("Name a spice.")] },
  {
    name: "an id and a changed prompt, with origins",
    recorded: [chat("Session {uuid}: name a county.")],
    sent: [chat("Session {uuid}: name a shire.")],
    origins: true,
  },
];
