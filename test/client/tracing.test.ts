import { SpanStatusCode, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { expect, onTestFinished, test } from "vitest";
import { chaosClient, collect, disconnected, fixedClient, user } from "../../src/client/index.ts";
import { traced } from "../../src/client/tracing/index.ts";

const asked = { messages: [user("a secret question")], settings: { temperature: 0.5 } };

function tracing(): { tracer: ReturnType<BasicTracerProvider["getTracer"]>; spans: InMemorySpanExporter } {
  const spans = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  return { tracer: provider.getTracer("test"), spans };
}

const answering = fixedClient({
  content: "fine",
  usage: { uncachedInputTokens: 3, cacheReadTokens: 2, outputTokens: 4 },
});

test("a call is a span with what was asked for, answered and used, and without its words", async () => {
  const { tracer, spans } = tracing();

  await traced(answering, { tracer }).complete(asked);

  const [span] = spans.getFinishedSpans();
  expect(span?.name).toBe("chat mock");
  expect(span?.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "mock",
    "gen_ai.request.temperature": 0.5,
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 5,
    "gen_ai.usage.output_tokens": 4,
  });
  expect(JSON.stringify(span?.attributes)).not.toContain("secret");
});

test("a stream's span ends with the stream, and has its words when they are wanted", async () => {
  const { tracer, spans } = tracing();
  const client = traced(answering, { tracer, recordContent: true });
  const open: number[] = [];

  for await (const event of client.stream(asked))
    if (event.type !== "finish") open.push(spans.getFinishedSpans().length);

  expect(new Set(open)).toEqual(new Set([0]));
  const [span] = spans.getFinishedSpans();
  expect(span?.attributes["gen_ai.input.messages"]).toContain("a secret question");
  expect(span?.attributes["gen_ai.output.messages"]).toContain("fine");
});

test("a failure is on its span, before or within a stream; a stream that is left ends its span", async () => {
  const { tracer, spans } = tracing();
  const breaking = traced(chaosClient(answering, { plan: () => disconnected(1) }), { tracer });

  await expect(breaking.complete(asked)).rejects.toMatchObject({ kind: "connection" });
  await expect(collect(breaking.stream(asked))).rejects.toMatchObject({ kind: "connection" });
  for await (const event of traced(answering, { tracer }).stream(asked)) if (event.type === "text") break;

  const ended = spans.getFinishedSpans();
  expect(ended.map(({ status }) => status.code)).toEqual([
    SpanStatusCode.ERROR,
    SpanStatusCode.ERROR,
    SpanStatusCode.UNSET,
  ]);
  expect(ended[0]?.attributes["error.type"]).toBe("connection");
});

test("without a tracer option a client's spans come from the process's provider under the name llm-tapedeck", async () => {
  const spans = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
  );
  onTestFinished(() => trace.disable());

  await traced(answering).complete(asked);

  expect(spans.getFinishedSpans().map(({ instrumentationScope }) => instrumentationScope.name)).toEqual([
    "llm-tapedeck",
  ]);
});
