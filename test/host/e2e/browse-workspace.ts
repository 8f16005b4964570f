import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import type { TestRef } from "../../../src/core/call/call.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { aRecording, bytes } from "../../support/a-recording.ts";

/** A workspace with recordings of every look, a file that is broken, and a script that asks for what is missing. */
export async function aWorkspaceToBrowse(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "browse-"));
  mkdirSync(join(folder, "tests"));
  writeFileSync(join(folder, "tests/chat.test.ts"), TEST_FILE);
  writeFileSync(join(folder, "ask.mjs"), ASK);
  writeFileSync(join(folder, "burst.mjs"), BURST);
  const store = createFolderStore(join(folder, ".tapedeck"));
  for (const recording of RECORDINGS) await store.save(recording);
  const broken = await store.save(openai("This file will be broken", { ago: 4 * DAY }));
  const path = join(folder, ".tapedeck", broken.entry);
  writeFileSync(path, readFileSync(path, "utf8").replace('"reply": {', '"reply" {'));
  return folder;
}

/** The arguments of `node ask.mjs`: question, temperature, test. */
const ASK = `
import { resolve } from "node:path";
const [question, temperature = "0.2", test = "chat > answers in one word"] = process.argv.slice(2);
const reply = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  headers: {
    "content-type": "application/json",
    authorization: "Bearer sk-test",
    "x-tapedeck-test": encodeURIComponent(
      JSON.stringify({ v: 1, file: resolve("tests/chat.test.ts"), name: test.split(" > "), line: 4, runner: "vitest" }),
    ),
  },
  body: JSON.stringify({
    model: "gpt-4o-mini",
    temperature: Number(temperature),
    messages: [{ role: "system", content: "You are terse." }, { role: "user", content: question }],
  }),
});
const answer = await reply.json();
console.log(reply.status, reply.headers.get("x-tapedeck-outcome"), answer.choices?.[0].message.content ?? "");
`;

/** Makes the number of calls in its argument, one every 60 ms. */
const BURST = `
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
const test = { v: 1, file: resolve("tests/chat.test.ts"), name: ["chat", "uses a tool"], line: 6, runner: "vitest" };
for (let index = 0; index < Number(process.argv[2]); index += 1) {
  await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: "Bearer sk-test",
      "x-tapedeck-test": encodeURIComponent(JSON.stringify(test)),
    },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Question " + index }] }),
  });
  await pause(60);
}
`;

const TEST_FILE = `import { describe, it } from "vitest";

describe("chat", () => {
  it("answers in one word", () => {});

  it("uses a tool", () => {});

  it("thinks first", () => {});

  it("looks at a picture", () => {});
});
`;

const DAY = 86_400_000;
const FILE = "tests/chat.test.ts";
const WORD: TestRef = { file: FILE, name: ["chat", "answers in one word"], line: 4, runner: "vitest" };
const TOOL: TestRef = { file: FILE, name: ["chat", "uses a tool"], line: 6, runner: "vitest" };
const THINKS: TestRef = { file: FILE, name: ["chat", "thinks first"], line: 8, runner: "vitest" };
const LOOKS: TestRef = { file: FILE, name: ["chat", "looks at a picture"], line: 10, runner: "vitest" };

interface Chat {
  readonly reply?: string;
  readonly test?: TestRef;
  readonly ago?: number;
  readonly asked?: object;
}

export function openai(
  question: string,
  { reply = "Hi!", test, ago = 3 * DAY, asked = {} }: Chat = {},
): Recording {
  const body = {
    model: "gpt-4o-mini",
    temperature: 0.2,
    messages: [
      { role: "system", content: "You are terse." },
      { role: "user", content: question },
    ],
    ...asked,
  };
  const answer = {
    id: "chatcmpl-1",
    object: "chat.completion",
    model: "gpt-4o-mini-2024-07-18",
    choices: [{ index: 0, message: { role: "assistant", content: reply }, finish_reason: "stop" }],
    usage: { prompt_tokens: 21, completion_tokens: 2, total_tokens: 23 },
  };
  return recorded(
    { provider: "openai", operation: "chat.completions", path: "/v1/chat/completions", model: "gpt-4o-mini" },
    body,
    {
      contentType: "application/json",
      reply: JSON.stringify(answer),
      ago,
      ...(test && { test }),
    },
  );
}

function anthropic(question: unknown, events: readonly object[], test: TestRef): Recording {
  const body = {
    model: "claude-sonnet-4-5",
    max_tokens: 2_000,
    stream: true,
    thinking: { type: "enabled", budget_tokens: 1_024 },
    messages: [{ role: "user", content: question }],
  };
  const start = {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: body.model,
      content: [],
      usage: { input_tokens: 40, output_tokens: 1 },
    },
  };
  const end = [
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 60 } },
    { type: "message_stop" },
  ];
  const stream = [start, ...events, ...end].map((event) => {
    const type = "type" in event ? String(event.type) : "";
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
  });
  return recorded(
    { provider: "anthropic", operation: "messages", path: "/v1/messages", model: body.model },
    body,
    {
      contentType: "text/event-stream",
      reply: stream.join(""),
      ago: 2 * DAY,
      test,
    },
  );
}

interface Way {
  readonly provider: string;
  readonly operation: string;
  readonly path: string;
  readonly model: string;
}

interface Answer {
  readonly contentType: string;
  readonly reply: string;
  readonly ago: number;
  readonly test?: TestRef;
}

function recorded({ provider, operation, path, model }: Way, asked: object, answer: Answer): Recording {
  const { contentType, reply, ago, test } = answer;
  const recording = aRecording({
    provider,
    operation,
    request: { path, body: bytes(JSON.stringify(asked)) },
    reply: { contentType, body: bytes(reply) },
    ...(test && { test }),
  });
  return { ...recording, model, recordedAt: new Date(Date.now() - ago).toISOString() };
}

const TOOLS = [
  {
    type: "function",
    function: {
      name: "get_weather",
      parameters: { type: "object", properties: { city: { type: "string" } } },
    },
  },
];

const CALL = {
  id: "call_1",
  type: "function",
  function: { name: "get_weather", arguments: '{"city":"Oslo","days":3}' },
};

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR42mP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC";

function text(index: number, type: "thinking" | "text", words: string): readonly object[] {
  const delta =
    type === "text" ? { type: "text_delta", text: words } : { type: "thinking_delta", thinking: words };
  return [
    { type: "content_block_start", index, content_block: { type, [type]: "" } },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}

const RECORDINGS: readonly Recording[] = [
  openai("Say hi in one word", { test: WORD }),
  openai("Say hi in one word", { test: WORD, reply: "Hello!" }),
  openai("Say goodbye in one word", { test: WORD, reply: "Bye!", ago: DAY }),
  openai("What is the weather in Oslo over the next days, and should I take an umbrella?", {
    test: TOOL,
    reply: "Take one: rain on Tuesday.",
    asked: {
      tools: TOOLS,
      messages: [
        {
          role: "user",
          content: "What is the weather in Oslo over the next days, and should I take an umbrella?",
        },
        { role: "assistant", content: null, tool_calls: [CALL] },
        { role: "tool", tool_call_id: "call_1", content: '{"tuesday":"rain"}' },
      ],
    },
  }),
  anthropic(
    "Is 9.11 larger than 9.9?",
    [
      ...text(0, "thinking", "Compare digit by digit.\n9.9 is 9.90.\n9.90 is larger than 9.11."),
      ...text(1, "text", "No: 9.9 is larger.\n\nThink of it as 9.90 against 9.11."),
    ],
    THINKS,
  ),
  anthropic(
    [
      { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
      { type: "text", text: "What color is this?" },
    ],
    text(0, "text", "Red."),
    LOOKS,
  ),
];
