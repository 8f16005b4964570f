import { expect, test } from "vitest";
import {
  APIConnectionError,
  APIEmptyResponseError,
  APIStatusError,
  APITimeoutError,
  ChatProviderError,
  convertSdkError,
  convertTransportFault,
  dumpMessage,
  dumpTokenUsage,
  effortFromOpenAI,
  effortToOpenAI,
  ensurePropertyTypes,
  extractText,
  generate,
  isChatProvider,
  isRetryableChatProvider,
  loadMessage,
  loadTokenUsage,
  message,
  MockChatProvider,
  textPart,
  thinkPart,
  toolCall,
  type StreamedMessage,
} from "../../../src/systems/kosong/index.ts";
import { goldenFile } from "../../client/golden.ts";
import { partFrom, shownPart, type Shorthand } from "./golden-parts.ts";
import { aSdkError, TRANSPORT_KINDS } from "./sdk-errors.ts";

const golden = goldenFile("kosong-types");
const prompt = { systemPrompt: "ignored", tools: [], history: [] };
const named = (prefix: string) => (row: { name: string }) => row.name.startsWith(prefix);

async function partsOf(stream: StreamedMessage): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(shownPart(part));
  return parts;
}

golden.test(
  "the mock matches the original's, and its parts are frozen [KO-17, KO-19, KO-20, KO-21, KO-22, KO-23, KO-D1, KO-D2]",
  {
    rows: named("mock-provider"),
    run: async () => {
      const given = [textPart("a"), textPart("b")];
      const provider = new MockChatProvider(given);
      const stream = await provider.generate(prompt);
      const first = await partsOf(stream);
      const second = await partsOf(stream);
      const anew = await partsOf(await provider.generate(prompt));
      given.push(textPart("c"));
      const changed = await partsOf(await provider.generate(prompt));
      const thinking = provider.withThinking("high");
      const texts: string[] = [];
      for (let time = 0; time < 3; time += 1)
        texts.push(extractText((await generate(provider, prompt)).message));
      return {
        name: provider.name,
        model_name: provider.modelName,
        thinking_effort: provider.thinkingEffort,
        stream_id: stream.id,
        stream_usage: stream.usage,
        stream_trace_id: stream.traceId,
        first_pass: first,
        second_pass_same_stream: second,
        new_stream: anew,
        list_changed_outside_is_seen: changed,
        with_thinking_is_same_object: Object.is(thinking, provider),
        with_thinking_effort: thinking.thinkingEffort,
        with_thinking_shares_parts:
          JSON.stringify(await partsOf(await thinking.generate(prompt))) === JSON.stringify(first),
        generate_three_times_on_one_provider: texts,
        is_chat_provider: isChatProvider(provider),
        is_retryable: isRetryableChatProvider(provider),
      };
    },
    instead: {
      "KO-D1": ({ expected }) => ({
        ...expected,
        generate_three_times_on_one_provider: ["ab", "ab", "ab"],
        list_changed_outside_is_seen: expected.new_stream,
      }),
    },
  },
);

golden.test("usage is read, written and summed as the original's [KO-12]", {
  rows: named("token-usage"),
  run: ({ input }) => {
    const usage = loadTokenUsage(input);
    return { ...dumpTokenUsage(usage), input: usage.input, total: usage.total };
  },
  errorOf: () => ({ error: { type: "ValidationError", message: "(validation error)" } }),
});

const CLASSES: Record<string, new (...args: never[]) => Error> = {
  ChatProviderError,
  APIConnectionError,
  APITimeoutError,
  APIStatusError,
  APIEmptyResponseError,
};

golden.test("the errors are one family of siblings [KO-14]", {
  rows: named("error-"),
  run: ({ input }) => {
    const bases: string[] = [];
    for (
      let one = CLASSES[String(input)];
      one && one.name !== "Error";
      one = Object.getPrototypeOf(one) as typeof one
    )
      bases.push(one.name);
    return { bases: [...bases, "Exception"] };
  },
});

golden.test("a status error keeps the details of the answer [KO-14]", {
  rows: named("status-error"),
  run: ({ input }) => {
    const error = new APIStatusError(input.status_code, input.message, { requestId: input.request_id });
    return {
      str: error.message,
      status_code: error.statusCode,
      request_id: error.requestId,
      trace_id: error.traceId,
    };
  },
});

golden.test("errors of an SDK are classified as the original does [KO-16]", {
  rows: named("convert-openai"),
  run: ({ input }) => shownError(convertSdkError(aSdkError(input.kind, input.message)), false),
});

golden.test("errors of the transport are classified as the original does [KO-15]", {
  rows: named("convert-"),
  run: ({ input }) => {
    const kind = TRANSPORT_KINDS[String(input.kind)] ?? "other";
    const headers = { "x-request-id": "R", "x-trace-id": "T" };
    const fault =
      kind === "status"
        ? { kind, status: 503, headers, message: input.message }
        : { kind, message: input.message };
    return shownError(convertTransportFault(fault), true);
  },
});

function shownError(error: ChatProviderError, ids: boolean): unknown {
  const { name: type, message: text } = error;
  if (!(error instanceof APIStatusError)) return { type, message: text };
  const { statusCode, requestId, traceId } = error;
  return {
    type,
    message: text,
    status_code: statusCode,
    ...(ids && { request_id: requestId, trace_id: traceId }),
  };
}

golden.test("efforts go to OpenAI's [KO-13]", {
  rows: named("effort-to"),
  run: ({ input }) => effortToOpenAI(input),
});

golden.test("and come from them [KO-13]", {
  rows: named("effort-from"),
  run: ({ input }) => effortFromOpenAI(input),
});

golden.test("messages are written as the original's [KO-09, KO-10, KO-11]", {
  rows: named("message-dump"),
  run: ({ input }) => {
    const content =
      typeof input.content === "string" ? input.content : (input.content as Shorthand[]).map(partFrom);
    const made = message({ role: input.role, content });
    return { dump: dumpMessage(made), text: extractText(made), text_sep: extractText(made, " | ") };
  },
});

golden.test("and read back, unknown parts being named [KO-03, KO-09, KO-D4]", {
  rows: named("message-load"),
  run: ({ input }) => dumpMessage(loadMessage(input)),
  errorOf: (error, { source_defect }) =>
    source_defect === undefined
      ? { error: { type: "ValidationError", message: "(validation error)" } }
      : { error: { type: (error as Error).name, message: (error as Error).message } },
  instead: {
    "KO-D4": () => ({
      error: { type: "ChatProviderError", message: 'Unknown content part type: "unknown"' },
    }),
  },
});

golden.done();

test("nulls are omitted at every depth, except in a message's parts and the items of lists [KO-10]", () => {
  const extras = { a: null, b: { c: null, d: [null, { e: null }] } };
  const calls = [toolCall("1", "f", { extras }), toolCall("2", "g", { arguments: "{}" })];
  const made = message({ role: "assistant", content: [thinkPart("x")], toolCalls: calls });

  expect(dumpMessage(made)).toStrictEqual({
    role: "assistant",
    content: [{ type: "think", think: "x", encrypted: null }],
    tool_calls: [
      { type: "function", id: "1", function: { name: "f" }, extras: { b: { d: [null, {}] } } },
      { type: "function", id: "2", function: { name: "g", arguments: "{}" } },
    ],
  });
  expect(loadMessage(dumpMessage(made, { nulls: true }))).toEqual(made);
});

test("each schema in a list of items has a type [KO-40]", () => {
  const schema = { properties: { pair: { items: [{ enum: ["a"] }, { minimum: 1 }] } } };

  expect(ensurePropertyTypes(schema)).toEqual({
    properties: {
      pair: {
        type: "array",
        items: [
          { enum: ["a"], type: "string" },
          { minimum: 1, type: "number" },
        ],
      },
    },
  });
});

test.each<readonly [type: string, schemas: readonly object[]]>([
  [
    "object",
    [
      { properties: {} },
      { additionalProperties: false },
      { patternProperties: {} },
      { propertyNames: {} },
      { required: [] },
      { minProperties: 1 },
      { maxProperties: 1 },
      { const: {} },
    ],
  ],
  [
    "array",
    [
      { items: {} },
      { prefixItems: [] },
      { contains: {} },
      { minItems: 1 },
      { maxItems: 1 },
      { uniqueItems: true },
      { enum: [[]] },
    ],
  ],
  [
    "string",
    [
      { minLength: 1, minimum: 1 },
      { maxLength: 1, minimum: 1 },
      { pattern: "a", minimum: 1 },
      { format: "date", minimum: 1 },
      { enum: ["a", "b"] },
    ],
  ],
  ["string", [{}, { enum: [] }, { enum: ["a", 1] }, { enum: [null, true] }]],
  [
    "number",
    [
      { minimum: 1 },
      { maximum: 1 },
      { exclusiveMinimum: 1 },
      { exclusiveMaximum: 1 },
      { multipleOf: 1 },
      { enum: [1, 1.5] },
    ],
  ],
  ["integer", [{ const: 1 }, { enum: [1, 2] }]],
  ["boolean", [{ const: true }]],
  ["null", [{ const: null }]],
])("a schema without a type has the type %s by its other keywords [KO-40]", (type, schemas) => {
  for (const schema of schemas)
    expect(ensurePropertyTypes({ properties: { a: schema } })).toMatchObject({ properties: { a: { type } } });
});

test("a combination of schemas needs no type, nor does a value that is no schema [KO-40]", () => {
  for (const word of ["$ref", "anyOf", "oneOf", "allOf", "not", "if", "then", "else"]) {
    const schema = { properties: { a: { [word]: "?" } } };
    expect(ensurePropertyTypes(schema)).toEqual(schema);
  }
  for (const word of ["properties", "anyOf", "items", "additionalProperties", "title"]) {
    const schema = { [word]: "?" };
    expect(ensurePropertyTypes(schema)).toEqual(schema);
  }
});

test.each(["anyOf", "oneOf", "allOf"])("each schema of %s has a type [KO-40]", (word) => {
  expect(ensurePropertyTypes({ [word]: [{ minimum: 1 }, true] })).toEqual({
    [word]: [{ minimum: 1, type: "number" }, true],
  });
});
