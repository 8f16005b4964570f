import { expect, onTestFinished, test, vi } from "vitest";
import { listSchemaFaults } from "../../../src/client/json/schema-check.ts";
import {
  APIConnectionError,
  APIStatusError,
  callableTool,
  ChaosChatProvider,
  ChatProviderError,
  dereference,
  extractText,
  generate,
  isRetryableChatProvider,
  loadMessage,
  loadStreamedPart,
  loadTokenUsage,
  message as kosongMessage,
  MockChatProvider,
  RecoveringMockChatProvider,
  simpleToolset,
  step,
  textPart,
  tokenUsage,
  toolCall,
  toolError,
  toolOk,
  type CallableTool,
  type StreamedMessagePart,
} from "../../../src/systems/kosong/index.ts";
import { isChatError, seededSurroundings } from "../../../src/client/index.ts";
import { given } from "../../client/bad-input/cells.ts";

const prompt = { systemPrompt: "", tools: [], history: [] };

test("a live list is read again for each call [KO-D2]", async () => {
  const parts = [textPart("a")];
  const provider = new MockChatProvider(parts, { live: true });

  parts.push(textPart("b"));

  expect(extractText((await generate(provider, prompt)).message)).toBe("ab");
});

test("delays are slept through, part by part [KO-I1]", async () => {
  const surroundings = seededSurroundings(1);
  const parts = [textPart("a"), textPart("b"), textPart("c")];

  await generate(new MockChatProvider(parts, { delayMs: 20, surroundings }), prompt);
  await generate(new MockChatProvider(parts, { delayMs: [5, 0, 7], surroundings }), prompt);
  await generate(new MockChatProvider(parts, { delayMs: [1], surroundings }), prompt);

  expect(surroundings.slept).toEqual([20, 20, 20, 5, 7, 1]);
});

test.each([
  ["before", []],
  ["instead", []],
  ["after", ["b"]],
] as const)("an error can come %s the n-th part [KO-I2]", async (when, also) => {
  const error = new APIConnectionError("gone");
  const provider = new MockChatProvider([textPart("a"), textPart("b"), textPart("c")], {
    errorAt: { part: 1, when, error },
  });
  const seen: string[] = [];

  const reading = generate(provider, prompt, {
    onMessagePart: (part) => void seen.push("text" in part ? part.text : ""),
  });

  await expect(reading).rejects.toBe(error);
  expect(seen).toEqual(["a", ...also]);
});

test("id, usage and trace id are as configured [KO-I3]", async () => {
  const usage = tokenUsage({ inputOther: 3, output: 4 });
  const provider = new MockChatProvider([textPart("a")], { id: (call) => `r${call}`, usage, traceId: "t" });

  const [first, second] = [await generate(provider, prompt), await generate(provider, prompt)];

  expect([first.id, second.id]).toEqual(["r1", "r2"]);
  expect(first.usage).toEqual(usage);
  expect(first.traceId).toBe("t");
});

test("efforts are readable where they are recorded [KO-I4]", () => {
  const provider = new MockChatProvider([], { recordThinking: true });

  const deeper = provider.withThinking("low").withThinking("max");

  expect(deeper.thinkingEffort).toBe("max");
  expect(deeper.efforts).toEqual(["low", "max"]);
  expect(provider.thinkingEffort).toBeNull();
});

test("answers can depend on the request and on the turn, and the calls are kept [KO-I5]", async () => {
  const provider = new MockChatProvider([textPart("else")], {
    answer: ({ systemPrompt }, call) =>
      systemPrompt === "be brief" || call === 3 ? [textPart("special")] : undefined,
  });
  const ask = async (systemPrompt: string): Promise<string> =>
    extractText((await generate(provider, { ...prompt, systemPrompt })).message);

  expect([await ask("be brief"), await ask(""), await ask("")]).toEqual(["special", "else", "special"]);
  expect(provider.calls.map(({ systemPrompt }) => systemPrompt)).toEqual(["be brief", "", ""]);
});

test("texts split into pieces always join again [KO-I6]", async () => {
  const text = "Grüße, 世界! 👩‍👩‍👧 and  more\nlines ";
  for (const pieces of ["words", "random", { characters: 1 }, { characters: 3 }] as const) {
    const surroundings = seededSurroundings(7);
    let count = 0;

    const { message } = await generate(
      new MockChatProvider([textPart(text)], { pieces, surroundings }),
      prompt,
      {
        onMessagePart: () => void (count += 1),
      },
    );

    expect(extractText(message)).toBe(text);
    expect(count).toBeGreaterThan(3);
  }
});

test("a provider that can recover reports it, and a wrapper passes it through [KO-18, KO-I7]", async () => {
  const failure = new APIStatusError(503, "down");
  const provider = new RecoveringMockChatProvider([textPart("up")], { failures: [failure] });

  await expect(generate(provider, prompt)).rejects.toBe(failure);
  expect(isRetryableChatProvider(provider)).toBe(true);
  expect(provider.onRetryableError(failure)).toBe(true);
  expect(extractText((await generate(provider, prompt)).message)).toBe("up");
  expect(provider.recoveries).toEqual([failure]);
  expect(provider.thinkingEffort).toBeNull();
});

test("an error after the last part is thrown after all parts, not before [KO-I2]", async () => {
  const error = new APIConnectionError("gone");
  const at = (part: number): MockChatProvider =>
    new MockChatProvider([textPart("a")], { errorAt: { part, error } });

  for (const part of [1, 2]) await expect(generate(at(part), prompt)).rejects.toBe(error);
});

test("missing and unknown fields of a written message are all reported", () => {
  expect(() => loadMessage({ role: "x" })).toThrow(
    'Invalid message: role "x" is none of system, user, assistant, tool.',
  );
  expect(loadMessage({ role: "user", name: "n", content: { type: "text", text: "a" } })).toEqual(
    kosongMessage({ role: "user", name: "n", content: "a" }),
  );
  expect(loadMessage({ role: "user" }).content).toEqual([]);
  expect(loadStreamedPart({ type: "text", text: "a", arguments_part: "b" })).toEqual(textPart("a"));
  expect(() => loadStreamedPart({})).toThrow(ChatProviderError);
  expect(() => loadTokenUsage({ input_other: 1 })).toThrow(
    "Token usage: output must be an integer, got null.",
  );
  expect(tokenUsage({ inputOther: 3, output: 4 })).toMatchObject({ input: 3, total: 7 });
});

test("errors are the core's too, with kind and whether a retry makes sense [KO-14, X-02]", () => {
  const busy = new APIStatusError(429, "slow down", { retryAfterMs: 2000 });

  expect(isChatError(busy)).toBe(true);
  expect(busy).toMatchObject({ kind: "rate-limit", retryable: true, status: 429, retryAfterMs: 2000 });
  expect(new APIStatusError(400, "no")).toMatchObject({ kind: "status", retryable: false });
  expect(new APIConnectionError("gone")).toMatchObject({ kind: "connection", retryable: true });
});

const slow = (log: string[]): CallableTool => ({
  name: "slow",
  description: "waits until it is aborted",
  parameters: {},
  call: (_args, { signal, toolCallId }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        log.push(`stopped ${toolCallId}`);
        reject(new Error("stopped"));
      });
    }),
});

test("tools are cancelled and waited for when the generation fails, whatever the error [KO-35, KO-D6]", async () => {
  for (const error of [new APIConnectionError("gone"), new TypeError("a bug")]) {
    const log: string[] = [];
    const parts: StreamedMessagePart[] = [toolCall("c1", "slow"), textPart("x"), textPart("y")];
    const provider = new MockChatProvider(parts, { errorAt: { part: 2, error } });

    const stepping = step(provider, simpleToolset([slow(log)]), {
      ...prompt,
      onToolResult: () => log.push("result"),
    });

    await expect(stepping).rejects.toBe(error);
    expect(log).toEqual(["stopped c1"]);
  }
});

test("a cancelled step stops its tools, and no callback fires any more [KO-35]", async () => {
  const log: string[] = [];
  const controller = new AbortController();
  const provider = new MockChatProvider([toolCall("c1", "slow"), toolCall("c2", "slow")]);

  const { toolResults } = await step(provider, simpleToolset([slow(log)]), {
    ...prompt,
    signal: controller.signal,
    onToolResult: () => log.push("result"),
  });
  controller.abort(new Error("enough"));

  await expect(toolResults()).rejects.toThrow("enough");
  expect(log).toEqual(["stopped c1", "stopped c2"]);
});

test("a step gives the provider its signal", async () => {
  const { signal } = new AbortController();
  const provider = new MockChatProvider([textPart("x")]);
  const generating = vi.spyOn(provider, "generate");

  await step(provider, simpleToolset(), { ...prompt, signal });

  expect(generating).toHaveBeenCalledWith(expect.objectContaining({ signal }));
});

test("one result that fails cancels the others [KO-35]", async () => {
  const log: string[] = [];
  const inner = simpleToolset([slow(log)]);
  const provider = new MockChatProvider([toolCall("c1", "slow"), toolCall("c2", "broken")]);

  const { toolResults } = await step(
    provider,
    {
      tools: [],
      handle: (call, context) =>
        call.function.name === "broken"
          ? Promise.reject(new Error("broken toolset"))
          : inner.handle(call, context),
    },
    prompt,
  );

  await expect(toolResults()).rejects.toThrow("broken toolset");
  expect(log).toEqual(["stopped c1"]);
});

test.each([
  [{ cancelGraceMs: 50 }, 50],
  [{}, 5000],
])("a tool that heeds no signal is left behind after the grace, %j [KO-35]", async (grace, slept) => {
  const surroundings = seededSurroundings(1);
  const deaf: CallableTool = {
    name: "deaf",
    description: "",
    parameters: {},
    call: () => new Promise(() => undefined),
  };
  const error = new APIConnectionError("gone");
  const provider = new MockChatProvider([toolCall("c1", "deaf"), textPart("x")], {
    errorAt: { part: 9, error },
  });

  const stepping = step(provider, simpleToolset([deaf]), { ...prompt, ...grace, surroundings });

  await expect(stepping).rejects.toBe(error);
  expect(surroundings.slept).toEqual([slept]);
});

test("a toolset that fails while the model still speaks fails the step, and nothing unheard [KO-35]", async () => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown): void => void unheard.push(reason);
  process.on("unhandledRejection", hear);
  onTestFinished(() => void process.off("unhandledRejection", hear));
  const gone = new Error("gone");
  const toolset = { tools: [], handle: () => Promise.reject(gone) };
  const speaking = {
    name: "mock",
    modelName: "mock",
    thinkingEffort: null,
    async generate() {
      const parts = (async function* () {
        yield toolCall("c1", "f");
        yield textPart("a");
        await new Promise(setImmediate);
        yield textPart("b");
      })();
      return { id: null, usage: null, [Symbol.asyncIterator]: () => parts };
    },
  };

  await expect(
    (async () => (await step(given(speaking), given(toolset), prompt)).toolResults())(),
  ).rejects.toBe(gone);
  expect(unheard).toEqual([]);
});

test("results are data with a display [KO-36, KO-38]", () => {
  expect(toolOk(textPart("x"), { brief: "done" })).toMatchObject({
    isError: false,
    output: [{ type: "text", text: "x" }],
    display: [{ type: "brief", text: "done" }],
  });
  expect(toolError({ message: "m", brief: "" })).toMatchObject({ isError: true, output: "", display: [] });
});

test("a tool's schema is checked when the tool is made [KO-39]", () => {
  const tool = (parameters: Record<string, unknown>): CallableTool => ({
    name: "f",
    description: "",
    parameters,
    call: () => toolOk(""),
  });

  expect(() => callableTool(tool({ type: "objekt" }))).toThrow(
    /parameters of f are no JSON Schema: .* at \/type$/,
  );
  expect(() => callableTool(tool({ properties: { a: { minLength: -1 } } }))).toThrow(
    "-1 is less than 0 at /properties/a/minLength",
  );
  expect(() => callableTool(tool({ required: "a" }))).toThrow("at /required");
  expect(() => callableTool(tool({ properties: { a: { pattern: "(" } } }))).toThrow(
    'does not match format "regex" at /properties/a/pattern',
  );
  expect(() => callableTool(tool({ default: Number.NaN }))).toThrow("JSON cannot hold NaN at #.default");
  expect(() => callableTool({ ...tool({}), name: "" })).toThrow("The tool has no name.");
  expect(() => simpleToolset().remove("g")).toThrow("Tool `g` not found in the toolset.");
});

test("a schema that refers to itself keeps its reference and its definitions [KO-40]", () => {
  const schema = {
    properties: { tree: { $ref: "#/$defs/Node" } },
    $defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } } } },
  };

  const written = dereference(schema);

  expect(written["$defs"]).toBeDefined();
  expect(JSON.stringify(written["properties"])).toContain('"$ref":"#/$defs/Node"');
});

test("a schema that refers to its root keeps checking as the root does", () => {
  const schema = { type: "object", properties: { next: { $ref: "#" } } };

  const written = dereference(schema);

  expect(written).toEqual({ type: "object", properties: { next: schema } });
  expect(listSchemaFaults(written, { next: { next: {} } })).toEqual([]);
  expect(listSchemaFaults(written, { next: { next: { next: 5 } } })).toEqual([
    'Instance type "number" is invalid. Expected "object" at /next/next/next',
  ]);
});

/** A provider whose transport reports the outcome of its requests. */
function overFetch(): InstanceType<typeof MockChatProvider> & { fetch: typeof globalThis.fetch } {
  const provider = new MockChatProvider([toolCall("c", "f", { arguments: "{}" })]);
  return Object.assign(provider, { fetch: async () => new Response("ok") });
}

test("chaos answers requests with errors by one generator, seeded [KO-50, KO-52, KO-D7]", async () => {
  const statuses = async (seed: number): Promise<number[]> => {
    const provider = overFetch();
    void new ChaosChatProvider(provider, { errorProbability: 0.5, seed });
    const seen: number[] = [];
    for (let call = 0; call < 40; call += 1) seen.push((await provider.fetch("http://x")).status);
    return seen;
  };

  const [first, again, other] = [await statuses(1), await statuses(1), await statuses(2)];

  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  expect(new Set(first)).toEqual(new Set([200, 429, 500, 502, 503]));
});

test("chaos corrupts by one generator for all streams of a provider and of its copies with another effort [KO-51, KO-D7]", async () => {
  const endingsOf = async (next: (chaos: ChaosChatProvider) => ChaosChatProvider): Promise<unknown[]> => {
    const settings = { errorProbability: 0, corruptToolCallProbability: 0.5, seed: 3 };
    const chaos = new ChaosChatProvider(Object.assign(overFetch(), { withThinking: overFetch }), settings);
    const endings: unknown[] = [];
    for (let time = 0; time < 30; time += 1) {
      const { message } = await generate(next(chaos), prompt);
      endings.push(message.toolCalls?.[0]?.function.arguments);
    }
    return endings;
  };

  const [alone, copies] = [
    await endingsOf((chaos) => chaos),
    await endingsOf((chaos) => chaos.withThinking("high")),
  ];

  expect(copies).toEqual(alone);
  expect(new Set(alone)).toEqual(new Set(["{}", "{"]));
});

test("chaos describes itself, and wraps a transport again after a recovery [KO-52]", async () => {
  const provider = Object.assign(overFetch(), {
    onRetryableError: () => {
      provider.fetch = async () => new Response("fresh");
      return true;
    },
  });
  const chaos = new ChaosChatProvider(provider, { errorProbability: 1, errorTypes: [500] });

  const recovered = chaos.onRetryableError(new Error("x"));

  expect(recovered).toBe(true);
  expect((await provider.fetch("http://x")).status).toBe(500);
  expect([chaos.name, chaos.modelName]).toEqual(["mock", "chaos(mock)"]);
  expect(
    new ChaosChatProvider(overFetch(), { errorProbability: 0, corruptToolCallProbability: 0 }).modelName,
  ).toBe("mock");
  expect(new ChaosChatProvider(overFetch()).onRetryableError(new Error("x"))).toBe(false);
});
