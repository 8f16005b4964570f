/** A test file that sends the requests which `requests.json` has for each test. Some of their words change on every run. */
export const PROJECT = {
  // By origin, ids and times of this machine would never miss.
  "tapedeck.jsonc": '{ "origins": "off" }',
  "calls.test.mjs": `
import { describe, test } from "node:test";
import assert from "node:assert";
import { randomUUID, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

const requests = JSON.parse(readFileSync(new URL("requests.json", import.meta.url), "utf8"));
const words = ["calm-lynx", "shy-otter", "brave-mole", "odd-elk", "wise-owl", "red-fox", "old-crow", "sly-cat"];
const filled = (body) => JSON.stringify(body)
  .replaceAll("{uuid}", randomUUID())
  .replaceAll("{time}", new Date().toISOString())
  .replaceAll("{epoch}", Date.now())
  .replaceAll("{word}", words[randomBytes(1)[0] % words.length] + "-" + randomBytes(2).toString("hex"));

async function send({ provider = "openai", ...body }) {
  const [base, path] = provider === "openai"
    ? [process.env.OPENAI_BASE_URL, "/chat/completions"]
    : [process.env.ANTHROPIC_BASE_URL, "/v1/messages"];
  const reply = await fetch(base + path, { method: "POST", headers: { "content-type": "application/json" }, body: filled(body) });
  const text = await reply.text();
  assert.equal(reply.status, 200, text);
}

describe("chat", () => {
  for (const [name, bodies] of Object.entries(requests))
    test(name, async () => { for (const body of bodies) await send(body); });
});
`,
} as const;

export type Body = Readonly<Record<string, unknown>>;

export interface PlantedMiss {
  readonly name: string;
  readonly recorded: readonly Body[];
  /** The requests that the test sends afterwards; absent if the recording is damaged instead. */
  readonly sent?: readonly Body[];
  /** Damages the recording whose text has this word. */
  readonly damages?: {
    readonly word: string;
    readonly by: "deletion" | "deletion of the first take" | "truncation";
  };
  /** Whether its provider cannot be called, so that the agent writes the reply. */
  readonly isWritten?: true;
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

const toolResult = (time: string): Body => ({
  model: "gpt-4o-mini",
  messages: [
    { role: "user", content: "Is order 17 on its way?" },
    {
      role: "assistant",
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "look_up", arguments: '{"order":17}' } },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: JSON.stringify({ state: "sent", checked: time }) },
  ],
});

const claude = (content: string): Body => ({
  provider: "anthropic",
  model: "claude-sonnet-4",
  max_tokens: 20,
  messages: [{ role: "user", content }],
});

/** Twenty misses of all kinds: new, changed, volatile, damaged, and deleted calls. */
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
  { name: "no key", recorded: [], sent: [chat("Greet the visitor in Welsh.")], isWritten: true },
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
  },
  {
    name: "a random word in a message",
    recorded: [named("{word}")],
    sent: [named("{word}")],
  },
  { name: "another provider", recorded: [chat("Name a desert.")], sent: [claude("Name a desert.")] },
  { name: "a stream", recorded: [chat("Name a cheese.")], sent: [chat("Name a cheese.", { stream: true })] },
  {
    name: "one call more",
    recorded: [chat("Name a planet.")],
    sent: [chat("Name a planet."), chat("Name a moon of it.")],
  },
  { name: "two new calls", recorded: [], sent: [chat("Who wrote Faust?"), claude("Who wrote Ulysses?")] },
  { name: "a time in a tool result", recorded: [toolResult("{epoch}")], sent: [toolResult("{epoch}")] },
  { name: "a changed tool result", recorded: [toolResult("never")], sent: [toolResult("twice, by phone")] },
  {
    name: "a deleted take of identical calls",
    recorded: [chat("Name a poet."), chat("Name a poet.")],
    damages: { word: "poet", by: "deletion of the first take" },
  },
  {
    name: "a reworded Claude prompt",
    recorded: [claude("Rhyme on moon.")],
    sent: [claude("Find a rhyme on moon.")],
  },
];
