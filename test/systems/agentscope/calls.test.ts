import { expect, test } from "vitest";
import { isStreamed, lastResponse, type ModelCall } from "../../../src/systems/agentscope/index.ts";
import { seededSurroundings } from "../../../src/client/surroundings.ts";
import { answering, modelOf, PROVIDERS, type Provider, responsesOf, scripted } from "./scripted-models.ts";

const messages = [{ role: "user", content: "hi" }];
const F = { type: "function", function: { name: "f", description: "d", parameters: { type: "object" } } };

async function sentBy(provider: Provider, options: object, call: ModelCall): Promise<unknown> {
  const { model, sent } = answering(provider, { status_code: 200 }, options);
  await model.call(messages, call);
  return sent[0];
}

test.each(PROVIDERS)("%s is sent no word about tools where there are none", async (provider) => {
  for (const tools of [undefined, null, []])
    expect(JSON.stringify(await sentBy(provider, {}, tools === undefined ? {} : { tools }))).not.toMatch(
      /tool|function/i,
    );

  expect(JSON.stringify(await sentBy(provider, {}, { tools: [F] }))).toMatch(/tool|function/i);
});

test.each(PROVIDERS)("%s gets the options of a call over those of the model", async (provider) => {
  const generateKwargs = { temperature: 0.5, seed: 1 };

  const made = JSON.stringify(await sentBy(provider, { generateKwargs }, {}));
  const called = JSON.stringify(await sentBy(provider, { generateKwargs }, { generateKwargs: { seed: 2 } }));

  expect(made).toContain('"temperature":0.5');
  expect(made).toContain('"seed":1');
  expect(called).toContain('"temperature":0.5');
  expect(called).toContain('"seed":2');
  expect(called).not.toContain('"seed":1');
});

test.each<readonly [given: object, call: ModelCall, think: unknown]>([
  [{}, {}, undefined],
  [{ enableThinking: null }, {}, undefined],
  [{ enableThinking: true }, {}, true],
  [{ enableThinking: false }, {}, false],
  [{ enableThinking: true }, { generateKwargs: { think: "low" } }, "low"],
  [{ enableThinking: true, generateKwargs: { think: "high" } }, {}, "high"],
])(
  "Ollama thinks as the model is configured, unless the call overrides it: %j %j",
  async (given, call, think) => {
    expect(await sentBy("ollama", given, call)).toEqual({
      model: "m",
      messages,
      stream: false,
      options: null,
      keep_alive: "5m",
      ...(think !== undefined && { think }),
      api: "chat",
    });
  },
);

test.each(["definitions", "$defs"])("Gemini is sent what a schema names among its %s", async (place) => {
  const parameters = {
    type: "object",
    properties: { a: { $ref: `#/${place}/Name` } },
    [place]: { Name: { type: "string", minLength: 2 } },
  };

  const sent = JSON.stringify(
    await sentBy("gemini", {}, { tools: [{ ...F, function: { ...F.function, parameters } }] }),
  );

  expect(sent).toContain('"a":{"type":"string","minLength":2}');
  expect(sent).not.toContain("$ref");
});

test("a response has the seconds since the call began", async () => {
  let now = 5000;
  const surroundings = { ...seededSurroundings(1), now: () => (now += 250) };
  const answer = { choices: [{ message: { content: "hi" } }], usage: { prompt_tokens: 1 } };
  const { model } = answering("openai", answer, { surroundings });

  const last = await lastResponse(await model.call(messages));
  const { time } = last?.usage ?? {};

  expect(time).toBeGreaterThanOrEqual(0.25);
  expect(time).toBeLessThan(3);
});

test("leaving a stream early, or a structured one, ends the request behind it", async () => {
  let ended = 0;
  const endless = async () =>
    (async function* () {
      try {
        for (;;) yield { id: "r", choices: [{ delta: { content: "a" } }] };
      } finally {
        ended += 1;
      }
    })();
  const model = modelOf("openai", { transport: { create: endless, stream: endless } });
  const seen: unknown[] = [];
  for (const call of [{}, { structuredModel: { schema: { type: "object" } } }]) {
    const answer = await model.call(messages, call);
    if (isStreamed(answer))
      for await (const { content } of answer) {
        seen.push(content);
        if (seen.length > 1) break;
      }
  }

  expect(seen.slice(0, 2)).toEqual([[{ type: "text", text: "a" }], [{ type: "text", text: "aa" }]]);
  expect([seen.length, ended]).toEqual([3, 2]);
});

test("a tool call of a stream with only an index is an empty one", async () => {
  const chunk = { id: "r", choices: [{ delta: { tool_calls: [{ index: 0 }] } }] };

  const last = await lastResponse(await scripted("openai", [{ chunks: [chunk] }]).model.call(messages));

  expect(last?.content).toEqual([{ type: "tool_use", id: "", name: "", input: {}, raw_input: "" }]);
});

test("a property may have the name of a schema's own word, for Gemini too", async () => {
  const properties = {
    definitions: { type: "string" },
    $defs: { $ref: "#/$defs/D" },
    $ref: { type: "null" },
  };
  const parameters = { type: "object", properties, $defs: { D: { type: "number" } } };
  const tools = [{ type: "function", function: { name: "f", parameters } }];
  const written = { ...properties, $defs: { type: "number" } };

  expect(await sentBy("gemini", {}, { tools })).toMatchObject({
    config: {
      tools: [{ functionDeclarations: [{ name: "f", parameters: { type: "object", properties: written } }] }],
    },
  });
});

test("a structured answer that arrives whole instead of as a stream is returned as the last response", async () => {
  const call = { id: "c", function: { name: "generate_structured_output", arguments: '{"a":1}' } };
  const response = { id: "r", choices: [{ message: { tool_calls: [call] } }] };
  const { model } = scripted("openai", [{ raise: "bad_request" }, { response }]);

  const answer = await model.call(messages, { structuredModel: { schema: { type: "object" } } });
  const seen = await responsesOf(answer);

  expect(seen.map(({ metadata, is_last: last }) => [metadata, last])).toEqual([
    [{ a: 1 }, undefined],
    [{ a: 1 }, true],
  ]);
});

test("every option of an OpenAI model is known, and only others are warned of", () => {
  const known = {
    stream: true,
    generateKwargs: {},
    apiKey: null,
    organization: null,
    reasoningEffort: null,
    streamToolParsing: true,
    clientType: "openai",
    clientKwargs: null,
    clientArgs: null,
    connection: {},
    onStructuredFallback: () => undefined,
  };

  expect(scripted("openai", [], known).logged()).toEqual([]);
  expect(scripted("openai", [], { ...known, colour: "red" }).logged()).toEqual([
    'Unknown keyword arguments: ["colour"]. These will be ignored.',
  ]);
});

test.each([
  [100, ""],
  [101, "..."],
])(
  "arguments that are not an object are reported, at most 100 characters of them: %d",
  async (length, cut) => {
    const text = "x".repeat(length);
    const called = { id: "c", function: { name: "f", arguments: text } };
    const answer = { choices: [{ message: { tool_calls: [called] } }] };
    const { model, logged } = answering("openai", answer);

    await model.call(messages);

    expect(logged()).toEqual([
      `Failed to load JSON dict from string: ${text.slice(0, 100)}${cut}. Returning empty dict instead.`,
    ]);
  },
);
