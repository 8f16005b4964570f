import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { describe, expect, it } from "vitest";
import { describeRecording } from "../../../src/core/view/describe.ts";
import { type TracedCall, writeOtlp } from "../../../src/core/view/otlp.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import {
  ERROR_TYPE,
  GEN_AI,
  getTelemetryOperationName,
  getTelemetryProviderName,
} from "../../../src/core/call/telemetry/gen-ai.ts";
import { spansIn } from "../../support/otlp.ts";
import { recordingOf } from "./conversation/conversations.ts";
import { FAMILIES } from "./conversation/families.ts";

const TEST = { file: "tests/agent.test.ts", name: ["agent", "looks the order up"] };
const AT = Date.UTC(2026, 0, 2);
const OPTIONS = { version: "1.2.3", seed: "run 1", content: false };
const providers = createProviders();

/** The calls of a family, 10 ms each and 5 ms between them. */
function tracedCalls(family: string, more: Partial<TracedCall> = {}): readonly TracedCall[] {
  return (FAMILIES[family] ?? []).map((call, at) => {
    const view = describeRecording(recordingOf(call), providers);
    const { provider, operation } = view.recording;
    return { at: AT + at * 15, ms: 10, provider, operation, test: TEST, view, ...more };
  });
}

describe("calls as OpenTelemetry's traces", () => {
  it.each(Object.keys(FAMILIES))(
    "follow OTLP's definitions, with and without message content, in %s",
    (family) => {
      for (const content of [false, true])
        expect(spansIn(writeOtlp(tracedCalls(family), { ...OPTIONS, content }))).toHaveLength(3);
    },
  );

  it("are a trace for each test, with a span for each call inside of its time", () => {
    const [test, first, second] = spansIn(writeOtlp(tracedCalls("Anthropic's messages"), OPTIONS));

    expect(test).toMatchObject({
      name: "agent › looks the order up",
      startTimeUnixNano: `${AT}000000`,
      endTimeUnixNano: `${AT + 25}000000`,
      attributes: { "test.suite.name": TEST.file, "test.case.name": "agent › looks the order up" },
    });
    expect([first?.parentSpanId, second?.parentSpanId]).toEqual([test?.spanId, test?.spanId]);
    expect(new Set([test, first, second].map((span) => span?.traceId)).size).toBe(1);
    expect(new Set([test, first, second].map((span) => span?.spanId)).size).toBe(3);
    expect(first).toMatchObject({ name: "chat m", kind: 3, startTimeUnixNano: `${AT}000000` });
    expect(first?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "m",
      "gen_ai.request.max_tokens": 9,
    });
  });

  it("have no text of prompts, answers, or tool results by default", () => {
    const calls = Object.keys(FAMILIES).flatMap((family) => tracedCalls(family));

    const without = writeOtlp(calls, OPTIONS);
    const within = writeOtlp(calls, { ...OPTIONS, content: true });

    for (const word of ["Where is my order", "It ships Friday", "A-1042", "shipped", "Be brief"]) {
      expect(without).not.toContain(word);
      expect(within).toContain(word);
    }
  });

  it("have messages that follow the conventions' schemas, when requested", () => {
    const spans = spansIn(writeOtlp(tracedCalls("OpenAI's chat"), { ...OPTIONS, content: true }));
    const messages = (at: number, name: string): unknown => JSON.parse(String(spans[at]?.attributes[name]));

    expect(messages(1, "gen_ai.output.messages")).toEqual([
      {
        role: "assistant",
        parts: [{ type: "tool_call", id: "c1", name: "look_up_order", arguments: { id: "A-1042" } }],
        finish_reason: "stop",
      },
    ]);
    expect(messages(2, "gen_ai.input.messages")).toContainEqual({
      role: "tool",
      parts: [{ type: "tool_call_response", id: "c1", response: '{"status":"shipped"}' }],
    });
  });

  it("say what failed, and how", () => {
    const call = { at: AT, ms: 1, provider: "openai", operation: "chat.completions", model: "m" };
    const [, missed] = spansIn(writeOtlp([{ ...call, error: "500" }], OPTIONS));

    expect(missed?.status).toEqual({ code: 2 });
    expect(missed?.attributes).toMatchObject({ "error.type": "500" });
  });

  it("have the same ids when they are written again, and others in another run", () => {
    const calls = tracedCalls("Ollama");
    const idsOf = (seed: string) =>
      spansIn(writeOtlp(calls, { ...OPTIONS, seed })).map(({ traceId, spanId }) => traceId + spanId);

    expect(idsOf("a")).toEqual(idsOf("a"));
    expect(idsOf("a").filter((id) => idsOf("b").includes(id))).toEqual([]);
  });

  it("are empty without calls", () => {
    expect(spansIn(writeOtlp([], OPTIONS))).toEqual([]);
  });
});

describe("the names of the conventions", () => {
  const known = new Set<unknown>(Object.values(conventions));

  it("are those of the version that is named", () => {
    const names = [...Object.values(GEN_AI), ERROR_TYPE, "test.case.name", "test.suite.name"];

    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it("are theirs for providers and operations that they know, ours for others", () => {
    const theirs = [
      "azure",
      "bedrock",
      "gemini",
      "vertex",
      "mistral",
      "xai",
      "openai",
      "anthropic",
      "cohere",
    ];
    const operations = [
      "chat.completions",
      "generateContent",
      "text-generation.stream",
      "embed",
      "fim.completions",
    ];

    expect(theirs.map(getTelemetryProviderName).filter((name) => !known.has(name))).toEqual([]);
    expect(operations.map(getTelemetryOperationName).filter((name) => !known.has(name))).toEqual([]);
    expect([getTelemetryProviderName("together"), getTelemetryOperationName("rerank")]).toEqual([
      "together",
      "rerank",
    ]);
  });
});
