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

interface Damage {
  readonly word: string;
  readonly by: "deletion" | "deletion of the first take" | "truncation" | "truncation of the last take";
}

export interface PlantedMiss {
  readonly name: string;
  readonly recorded: readonly Body[];
  /** The requests that the test sends afterwards; absent if the recording is damaged instead. */
  readonly sent?: readonly Body[];
  /** Damages the recording whose text has this word. */
  readonly damages?: Damage;
  /** Whether the project matches generated values by origin. */
  readonly origins?: true;
  /** The tool that repairs it; absent if it is recorded. "tapedeck_write_reply": its provider cannot be called. */
  readonly repair?: "tapedeck_add_rule" | "tapedeck_write_reply";
}

const chat = (content: string, more: Body = {}, system = "Answer in one word."): Body => ({
  model: "gpt-4o-mini",
  messages: [
    { role: "system", content: system },
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

const both = (name: string, ...calls: readonly Body[]): PlantedMiss => ({
  name,
  recorded: calls,
  sent: calls,
  repair: "tapedeck_add_rule",
});
const changed = (name: string, before: Body, after: Body): PlantedMiss => ({
  name,
  recorded: [before],
  sent: [after],
});
const added = (name: string, ...sent: readonly Body[]): PlantedMiss => ({ name, recorded: [], sent });
const damaged = (
  name: string,
  [by, word]: readonly [Damage["by"], string],
  ...recorded: readonly Body[]
): PlantedMiss => ({ name, recorded, damages: { by, word } });

/** Misses of all kinds: new, changed, volatile, damaged, and deleted calls; identical calls, chains, and sessions. */
export const PLANTED: readonly PlantedMiss[] = [
  changed("a changed prompt", chat("Name a city in Peru."), chat("Name a large city in Peru.")),
  both("an id in the prompt", chat("Summarize session {uuid} of the support desk.")),
  damaged("a deleted recording", ["deletion", "violinist"], chat("Name a violinist.")),
  damaged("a damaged recording", ["truncation", "volcano"], chat("Name a volcano.")),
  { ...added("no key", chat("Greet the visitor in Welsh.")), repair: "tapedeck_write_reply" },
  added("a new call", claude("How deep is Lake Baikal?")),
  changed("a changed system prompt", chat("Name a bird."), chat("Name a bird.", {}, "Be verbose.")),
  changed("another model", chat("Name a river."), chat("Name a river.", { model: "gpt-4.1" })),
  { ...both("an id of unknown origin", named("{word}")), origins: true },
  changed(
    "a changed setting",
    chat("Name a tree.", { temperature: 0 }),
    chat("Name a tree.", { temperature: 1 }),
  ),
  changed("a new tool", chat("What time is it?"), chat("What time is it?", { tools: [tool("clock")] })),
  both("a time in the prompt", chat("It is {time}. Suggest a lunch.")),
  both("a random word in a message", named("{word}")),
  changed("another provider", chat("Name a desert."), claude("Name a desert.")),
  changed("a stream", chat("Name a cheese."), chat("Name a cheese.", { stream: true })),
  {
    name: "one call more",
    recorded: [chat("Name a planet.")],
    sent: [chat("Name a planet."), chat("Name a moon of it.")],
  },
  added("two new calls", chat("Who wrote Faust?"), claude("Who wrote Ulysses?")),
  both("a time in a tool result", toolResult("{epoch}")),
  changed("a changed tool result", toolResult("never", 4), toolResult("twice, by phone", 4)),
  damaged(
    "a deleted take of identical calls",
    ["deletion of the first take", "poet"],
    chat("Name a poet."),
    chat("Name a poet."),
  ),
  damaged(
    "a damaged take of identical calls",
    ["truncation of the last take", "Throw a die."],
    chat("Throw a die."),
    chat("Throw a die."),
  ),
  {
    name: "a changed call of a chain",
    recorded: [respond("Name a lake."), follow("How deep is it?")],
    sent: [respond("Name a lake."), follow("How long is it?")],
  },
  damaged(
    "a deleted first call of a chain",
    ["deletion", '"input": "Name a glacier."'],
    respond("Name a glacier."),
    follow("Is it large?"),
  ),
  changed(
    "a changed message of a session",
    converse("hello", "Name a fruit."),
    converse("hello", "Name a nut."),
  ),
  added("a new session", converse("Name a spice.")),
  {
    ...changed(
      "an id and a changed prompt, with origins",
      chat("Session {uuid}: name a county."),
      chat("Session {uuid}: name a shire."),
    ),
    origins: true,
  },
];
