// The clients of the generated tests: three SDKs. SUITE selects what answers them; by default the address in their variables.
import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, streamText, tool } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, test as plain } from "vitest";

const { calls, sentences } = JSON.parse(readFileSync(new URL("../plan.json", import.meta.url), "utf8"));

const schema = (index) => ({
  type: "object",
  properties: { id: { type: "string", description: sentences[index + 9] }, limit: { type: "integer" } },
  required: ["id"],
});
const names = ["look_up", "search", "cancel"];
const describe = (index) => sentences[index];
const chatTools = names.map((name, index) => ({
  type: "function",
  function: { name, description: describe(index), parameters: schema(index) },
}));
const claudeTools = names.map((name, index) => ({
  name,
  description: describe(index),
  input_schema: schema(index),
}));
const aiTools = Object.fromEntries(
  names.map((name, index) => [
    name,
    tool({ description: describe(index), inputSchema: jsonSchema(schema(index)) }),
  ]),
);

const system = sentences.slice(0, 12).join(" ");
const toChat = ({ text, hasTools }) => ({
  model: "gpt-4o-mini",
  messages: [
    { role: "system", content: system },
    { role: "user", content: text },
  ],
  ...(hasTools && { tools: chatTools }),
});
const toClaude = ({ text, hasTools }) => ({
  model: "claude-sonnet-4-5",
  max_tokens: 512,
  system,
  messages: [{ role: "user", content: text }],
  ...(hasTools && { tools: claudeTools }),
});
const toAi = (model, { text, hasTools }) => ({
  model,
  system,
  prompt: text,
  ...(hasTools && { tools: aiTools }),
});

async function joined(pieces) {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

async function* deltas(stream) {
  for await (const { choices } of stream) yield choices[0].delta.content ?? "";
}

const KINDS = {
  chat: async ({ openai }, call) =>
    (await openai.chat.completions.create(toChat(call))).choices[0].message.content,
  chatStream: async ({ openai }, call) =>
    joined(deltas(await openai.chat.completions.create({ ...toChat(call), stream: true }))),
  responses: async ({ openai }, { text }) =>
    (await openai.responses.create({ model: "gpt-4o-mini", instructions: system, input: text })).output_text,
  claude: async ({ anthropic }, call) => (await anthropic.messages.create(toClaude(call))).content[0].text,
  claudeStream: ({ anthropic }, call) => anthropic.messages.stream(toClaude(call)).finalText(),
  aiText: async ({ ai }, call) => (await generateText(toAi(ai("gpt-4o-mini"), call))).text,
  aiStream: ({ ai }, call) => joined(streamText(toAi(ai.chat("gpt-4o-mini"), call)).textStream),
};

/** Makes a call of the plan by its id. */
export const ask = (clients, kind, id) => KINDS[kind](clients, calls[id]);

const clients = (options = {}) => ({
  openai: new OpenAI({ maxRetries: 0, ...options }),
  anthropic: new Anthropic({ maxRetries: 0, ...options }),
  ai: createOpenAI(options),
});

const { SUITE, SUITE_MODE } = process.env;
const folder = (name) => new URL(`../${name}`, import.meta.url).pathname;

/** Returns an answer of the stand-in, computed in this process. */
async function answerHere(url, body) {
  const { answer } = await import(process.env.SUITE_PROVIDER ?? "");
  const { type, parts } = answer(new URL(url).pathname, body);
  return new Response(parts.join(""), { headers: { "content-type": type } });
}

/** Vitest reads the needs of a fixture from its parameter pattern, so the parameter must be a pattern. */
const give =
  (options) =>
  async ({ task }, use) =>
    use(clients({ ...options, timeout: task.timeout }));

/** Creates the fixture `clients` for each value of SUITE. */
const GIVEN = {
  none: async () => give(),
  hand: async () => give({ fetch: (url, { body }) => answerHere(String(url), body) }),
  fixture: async () => {
    const { test } = await import("llm-tapedeck/vitest");
    return { test, given: async ({ tapedeck }, use) => use(clients({ fetch: tapedeck.fetch })) };
  },
  msw: async () => {
    const [{ setupServer }, { http }] = [await import("msw/node"), await import("msw")];
    const server = setupServer(
      http.post("*", async ({ request }) => answerHere(request.url, await request.text())),
    );
    beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
    afterAll(() => server.close());
    return give();
  },
  nock: async () => {
    const { back } = (await import("nock")).default;
    back.fixtures = folder("nock-fixtures");
    back.setMode(SUITE_MODE === "record" ? "record" : "lockdown");
    return async ({ task }, use) => {
      const { nockDone } = await back(`${task.name.replaceAll(" ", "-")}.json`);
      await use(clients());
      nockDone();
    };
  },
  polly: async () => {
    const [{ Polly }, adapter, persister] = await Promise.all(
      ["@pollyjs/core", "@pollyjs/adapter-fetch", "@pollyjs/persister-fs"].map((name) => import(name)),
    );
    for (const { default: part } of [adapter, persister]) Polly.register(part.default ?? part);
    return async ({ task }, use) => {
      const polly = new Polly(task.name, {
        adapters: ["fetch"],
        persister: "fs",
        persisterOptions: { fs: { recordingsDir: folder("polly-recordings") } },
        mode: SUITE_MODE === "record" ? "record" : "replay",
        recordIfMissing: SUITE_MODE === "record",
        logLevel: "silent",
        matchRequestsBy: { headers: false, order: true },
      });
      await use(clients());
      await polly.stop();
    };
  },
};

const made = await GIVEN[SUITE ?? "none"]();
export const test = (made.test ?? plain).extend({ clients: made.given ?? made });
