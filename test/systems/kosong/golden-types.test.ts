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
import { pageOf, shown } from "../../client/bad-input/cells.ts";
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

/** Properties without a type. */
const UNTYPED: readonly Readonly<Record<string, unknown>>[] = [
  ...["properties", "patternProperties", "propertyNames", "items", "contains"].map((word) => ({
    [word]: {},
  })),
  ...["minProperties", "maxProperties", "minItems", "maxItems", "multipleOf"].map((word) => ({ [word]: 1 })),
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((word) => ({ [word]: 1 })),
  ...["minLength", "maxLength"].map((word) => ({ [word]: 1, minimum: 1 })),
  { pattern: "a", minimum: 1 },
  { format: "date", minimum: 1 },
  { additionalProperties: false },
  { required: [] },
  { prefixItems: [] },
  { uniqueItems: true },
  {},
  ...[{}, 1, true, null].map((value) => ({ const: value })),
  ...[[[]], ["a", "b"], [], ["a", 1], [null, true], [1, 1.5], [1, 2]].map((values) => ({ enum: values })),
  { items: [{ enum: ["a"] }, { minimum: 1 }] },
  ...["$ref", "anyOf", "oneOf", "allOf", "not", "if", "then", "else"].map((word) => ({ [word]: "?" })),
];
const WHOLE: readonly Readonly<Record<string, unknown>>[] = [
  ...["properties", "anyOf", "items", "additionalProperties", "title"].map((word) => ({ [word]: "?" })),
  ...["anyOf", "oneOf", "allOf"].map((word) => ({ [word]: [{ minimum: 1 }, true] })),
];

test("a schema without a type gets the one of its other keywords, as the page beside this test has it [KO-40]", async () => {
  const schemas = [...UNTYPED.map((a) => ({ properties: { a } })), ...WHOLE];
  const page = await pageOf(schemas.map((schema) => [shown(schema), () => ensurePropertyTypes(schema)]));

  // `vitest FILE -u` writes the page anew.
  await expect(page).toMatchFileSnapshot("property-types.txt");
});
