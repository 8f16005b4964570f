import type { TestRef } from "../call/call.ts";
import type { RecordingView } from "./describe.ts";
import { groupBy } from "../base/group-by.ts";
import { hashText } from "../match/nearest/features.ts";
import {
  ERROR_TYPE,
  GEN_AI,
  getTelemetryOperationName,
  getTelemetryProviderName,
  SCHEMA_URL,
  SERVICE_NAME,
  SERVICE_VERSION,
  TEST_CASE_NAME,
  TEST_SUITE_NAME,
  convertSettingsToAttributes,
} from "../call/telemetry/gen-ai.ts";
import { formatTestTitle, getTestId } from "../call/test-names.ts";
import type { ConversationMessage, ConversationPart } from "../protocol/base/protocol.ts";
import { tryParsePlainJson } from "../base/lenient.ts";

export interface TracedCall {
  /** Time of the call, in milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds from then to the last byte. */
  readonly ms: number;
  readonly provider: string;
  readonly operation: string;
  readonly model?: string | undefined;
  readonly test?: TestRef | undefined;
  /** The kind of its failure. */
  readonly error?: string | undefined;
  /** The recording of the call. */
  readonly view?: RecordingView | undefined;
}

export interface TraceOptions {
  /** Tapedeck's version. */
  readonly version: string;
  /** Seed for the ids, which are unique to a run. The same seed yields the same ids. */
  readonly seed: string;
  /** Whether to include prompts and responses. */
  readonly content: boolean;
}

/**
 * Writes calls as traces in OTLP JSON, on one line: one trace for each test, with one span for each of its calls.
 */
export function writeOtlp(calls: readonly TracedCall[], options: TraceOptions): string {
  const tests = groupBy(calls, ({ test }) => getTestId(test));
  const spans = tests.flatMap((own, at) => spansOf(own, `${options.seed} ${at}`, options));
  const resource = { [SERVICE_NAME]: "tapedeck", [SERVICE_VERSION]: options.version };
  const all = {
    resource: { attributes: convertAttributes(resource) },
    scopeSpans: [{ scope: { name: "tapedeck", version: options.version }, spans, schemaUrl: SCHEMA_URL }],
    schemaUrl: SCHEMA_URL,
  };
  return `${JSON.stringify({ resourceSpans: calls.length === 0 ? [] : [all] })}\n`;
}

/** Values of the format's enumerations. */
const INTERNAL = 1;
const CLIENT = 3;
const ERROR = 2;

/** The name of the trace for calls outside any known test. Traces are in English. */
const UNKNOWN_TEST = "calls outside any known test";

function spansOf(calls: readonly TracedCall[], seed: string, options: TraceOptions): readonly object[] {
  const test = calls[0]?.test;
  const root = { traceId: hexOf(seed, 4), spanId: hexOf(`${seed} test`, 2) };
  const name = test === undefined ? UNKNOWN_TEST : formatTestTitle(test) || test.file;
  const about: Attributes =
    test === undefined ? {} : { [TEST_SUITE_NAME]: test.file, [TEST_CASE_NAME]: name };
  const start = calls.reduce((first, { at }) => Math.min(first, at), Infinity);
  const end = calls.reduce((last, { at, ms }) => Math.max(last, at + ms), 0);
  return [
    {
      ...root,
      name,
      kind: INTERNAL,
      ...timesOf(start, end),
      attributes: convertAttributes(about),
      status: {},
    },
    ...calls.map((call, at) => callSpan(call, { root, spanId: hexOf(`${seed} call ${at}`, 2), options })),
  ];
}

interface Place {
  /** The test's span. The trace id has 32 hexadecimal digits, the span id 16. */
  readonly root: { readonly traceId: string; readonly spanId: string };
  readonly spanId: string;
  readonly options: TraceOptions;
}

function callSpan(call: TracedCall, { root, spanId, options }: Place): object {
  const { at, ms, error, view } = call;
  const model = call.model ?? view?.facts.model;
  const operation = getTelemetryOperationName(call.operation);
  const attributes: Attributes = {
    [GEN_AI.operationName]: operation,
    [GEN_AI.providerName]: getTelemetryProviderName(call.provider),
    [GEN_AI.requestModel]: model,
    ...(view && readAttributes(view)),
    ...(view && options.content && contentAttributes(view)),
    [ERROR_TYPE]: error,
    "tapedeck.operation": call.operation,
  };
  return {
    traceId: root.traceId,
    spanId,
    parentSpanId: root.spanId,
    name: model === undefined ? operation : `${operation} ${model}`,
    kind: CLIENT,
    ...timesOf(at, at + ms),
    attributes: convertAttributes(attributes),
    status: error === undefined ? {} : { code: ERROR },
  };
}

function timesOf(start: number, end: number): object {
  return { startTimeUnixNano: formatNanoseconds(start), endTimeUnixNano: formatNanoseconds(end) };
}

const DIGITS = 8;

/** Returns an id of `words` × 32 bits in hexadecimal. Never returns all zeros, which is an invalid id. */
function hexOf(text: string, words: number): string {
  const seeds = Array.from({ length: words }, (_, seed) => seed);
  const hex = seeds
    .map((seed) =>
      hashText(text, seed + 1)
        .toString(16)
        .padStart(DIGITS, "0"),
    )
    .join("");
  return /[1-9a-f]/u.test(hex) ? hex : hex.replace(/0$/u, "1");
}

/** Returns the attributes from a recording, without prompts and responses. */
function readAttributes({ facts, conversation, projection, thread }: RecordingView): Attributes {
  const { usage, finishReason, model } = projection;
  return {
    ...convertSettingsToAttributes(conversation.settings),
    [GEN_AI.requestStream]: facts.streaming ? true : undefined,
    [GEN_AI.responseModel]: model,
    [GEN_AI.responseId]: thread?.ids[0],
    [GEN_AI.conversationId]: thread?.ids.find((id) => id.startsWith("conv")),
    [GEN_AI.responseFinishReasons]: finishReason?.split(", "),
    [GEN_AI.inputTokens]: usage?.inputTokens,
    [GEN_AI.cachedInputTokens]: usage?.cachedInputTokens,
    [GEN_AI.outputTokens]: usage?.outputTokens,
    [GEN_AI.reasoningTokens]: usage?.reasoningTokens,
  };
}

/** Returns prompts and responses in the message format of the conventions' JSON schemas. */
function contentAttributes({ conversation, projection }: RecordingView): Attributes {
  const finish = projection.finishReason ?? "unknown";
  const answers = projection.messages.map((message) => ({ ...messageJson(message), finish_reason: finish }));
  return {
    [GEN_AI.inputMessages]: JSON.stringify(conversation.messages.map(messageJson)),
    [GEN_AI.outputMessages]: JSON.stringify(answers),
  };
}

function messageJson({ role, parts }: ConversationMessage): Readonly<Record<string, unknown>> {
  return { role, parts: parts.map(partJson) };
}

function partJson(part: ConversationPart): object {
  if (part.type === "text") return { type: "text", content: part.text };
  if (part.type === "thinking") return { type: "reasoning", content: part.text };
  if (part.type === "tool-result")
    return { type: "tool_call_response", id: part.id ?? null, response: part.text };
  if (part.type === "media") return mediaJson(part);
  if (part.type === "other")
    return { type: "text", content: part.text === "" ? `[${part.description}]` : part.text };
  const { id = null, name, arguments: given } = part;
  return { type: "tool_call", id, name, arguments: tryParsePlainJson(given) ?? given };
}

/** Describes images and audio instead of including their bytes, which would make up most of the file. */
function mediaJson({ media, description, url }: Extract<ConversationPart, { type: "media" }>): object {
  if (url === undefined || url.startsWith("data:"))
    return { type: "text", content: `[${media}: ${description}]` };
  return { type: "uri", modality: media, uri: url };
}

/** Attributes by name; undefined values are omitted. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/**
 * Converts attributes to OTLP JSON, where integers are strings because they can have 64 bits.
 * Source: opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding", 1.8.0.
 */
export function convertAttributes(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueFrom(value) }],
  );
}

function valueFrom(value: string | number | boolean | readonly string[]): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(valueFrom) } };
}

/** Converts milliseconds since the epoch to nanoseconds, as a string because a double is not precise enough. */
export function formatNanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6)));
}
