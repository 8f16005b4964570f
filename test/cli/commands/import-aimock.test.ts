import { expect, test } from "vitest";
import { aProject, tapedeck } from "../tapedeck.ts";

const TIMES = { recordedTimings: { ttftMs: 5, interChunkDelaysMs: [0], totalDurationMs: 5 } };

/** A file as aimock's recorder 1.43 writes one. */
function recorded(said: string, more: Readonly<Record<string, object>> = {}, model = "gpt-4o-mini"): string {
  const { match = {}, response = { content: "Hi" }, ...others } = more;
  const first = { userMessage: said, model, turnIndex: 0, hasToolResult: false };
  return JSON.stringify({ fixtures: [{ match: { ...first, ...match }, response, ...others }] }, null, 2);
}

let count = 0;
const nameFor = (provider: string): string =>
  `recorded/${provider}-2026-01-05T12-00-00-${String((count += 1)).padStart(3, "0")}Z-1a2b3c4d.json`;

interface Report {
  readonly reports: readonly {
    readonly format: string;
    readonly imported: readonly unknown[];
    readonly skipped: readonly { readonly reason: string }[];
  }[];
}

async function imported(files: Readonly<Record<string, string>>) {
  const cwd = aProject(files);
  const { stdout } = await tapedeck(["import", "recorded", "--json"], { cwd });
  return { cwd, reports: (JSON.parse(stdout) as Report).reports };
}

/** Asks as a program does; the variables are those of `run`. */
const ASK = `
const { OPENAI_BASE_URL, GOOGLE_GEMINI_BASE_URL, OLLAMA_HOST } = process.env;
const ask = async (url, body) => {
  const reply = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  console.log(reply.status, (await reply.text()).replaceAll("\\n", "|"));
};
const messages = (content) => [{ role: "user", content }];
const openai = OPENAI_BASE_URL + "/chat/completions";
await ask(openai, { model: "gpt-4o-mini", messages: messages("whole") });
await ask(openai, { model: "gpt-4o-mini", messages: messages("streamed"), stream: true });
await ask(openai, { model: "gpt-4o-mini", messages: messages("counted"), stream: true, stream_options: { include_usage: true } });
const contents = [{ role: "user", parts: [{ text: "gem" }] }];
const gemini = GOOGLE_GEMINI_BASE_URL + "/v1beta/models/gemini-2.5-flash:";
await ask(gemini + "generateContent", { contents });
await ask(gemini + "streamGenerateContent?alt=sse", { contents: [{ role: "user", parts: [{ text: "gems" }] }] });
await ask(OLLAMA_HOST + "/api/chat", { model: "llama3", messages: messages("olla"), stream: false });
await ask(OLLAMA_HOST + "/api/chat", { model: "llama3", messages: messages("ollas"), stream: true });
`;

test("what aimock recorded of first turns answers the plainest such call, of its provider, whole or as a stream", async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  const weather = { toolCalls: [{ id: "call_1", name: "weather", arguments: '{"city":"Rome"}' }], usage };
  const gem = { content: "Gem", reasoning: "Hm." };
  const { cwd, reports } = await imported({
    "ask.mjs": ASK,
    [nameFor("openai")]: recorded("whole", { response: { content: "All of it" } }),
    [nameFor("openai")]: recorded("streamed", TIMES),
    [nameFor("openai")]: recorded("counted", { response: weather, ...TIMES }),
    [nameFor("gemini")]: recorded("gem", { response: gem }, "gemini-2.5-flash"),
    [nameFor("gemini")]: recorded("gems", TIMES, "gemini-2.5-flash"),
    [nameFor("ollama")]: recorded("olla", {}, "llama3"),
    [nameFor("ollama")]: recorded("ollas", TIMES, "llama3"),
  });

  const { code, stdout } = await tapedeck(["run", "--", process.execPath, "ask.mjs"], { cwd });

  expect(reports.map(({ format, imported: made }) => [format, made.length])).toEqual(
    Array.from({ length: 7 }, () => ["aimock", 1]),
  );
  expect(code).toBe(0);
  const [whole, streamed, counted, ...others] = stdout.trimEnd().split("\n");
  expect(whole).toMatch(/^200 .*"content":"All of it".*"finish_reason":"stop"/);
  expect(streamed).toMatch(/^200 data: .*"content":"Hi".*"finish_reason":"stop".*data: \[DONE\]\|\|$/);
  expect(counted).toMatch(
    /"tool_calls":\[\{"index":0,"id":"call_1".*"finish_reason":"tool_calls".*"usage":\{/,
  );
  expect(others).toEqual([
    expect.stringMatching(/^200 .*\{"text":"Hm\.","thought":true\},\{"text":"Gem"\}/),
    expect.stringMatching(/^200 data: .*"text":"Hi"/),
    expect.stringMatching(/^200 .*"content":"Hi".*"done":true/),
    expect.stringMatching(/^200 .*"content":"Hi".*"done":false\}\|.*"done":true/),
  ]);
});

test("what aimock keeps in part only is left out, each with what it lacks", async () => {
  const { reports } = await imported({
    [nameFor("openai")]: recorded("a", { metadata: { systemHash: "1a2b3c4d", toolsHash: "1a2b3c4d" } }),
    [nameFor("openai")]: recorded("b", { match: { turnIndex: 1 } }),
    [nameFor("openai")]: recorded("c", { match: { turnIndex: 1, hasToolResult: true } }),
    [nameFor("openai")]: recorded("d", { response: { error: { message: "no" }, status: 429 } }),
    [nameFor("anthropic")]: recorded("e", {}, "claude-sonnet-4-5"),
    [nameFor("cohere")]: recorded("f", {}, "command-r"),
    [nameFor("openai")]: JSON.stringify({
      fixtures: [{ match: { endpoint: "embedding", inputText: "g" }, response: { embedding: [0.1] } }],
    }),
  });

  const reasons = reports.flatMap(({ skipped }) => skipped.map(({ reason }) => reason));
  expect(reports.flatMap(({ imported: made }) => made)).toEqual([]);
  expect(reasons.toSorted()).toEqual(
    [
      "had a system prompt and tools in its request, and aimock records only a hash",
      "is a later turn of a conversation, and aimock records only its last message",
      "answers tool results, which aimock does not record",
      "is an error, which is never recorded",
      "belongs to Anthropic, whose calls need max_tokens, which aimock does not record",
      "belongs to cohere, whose calls need more than aimock records",
      'is for the endpoint "embedding", and only chats can be imported',
    ].toSorted(),
  );
});
