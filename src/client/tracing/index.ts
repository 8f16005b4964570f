/** Tracing with OpenTelemetry's API, which is loaded with the first call. */
import type { Attributes, Span, Tracer } from "@opentelemetry/api";
import { ERROR_TYPE, GEN_AI } from "../../core/call/telemetry/gen-ai.ts";
import type { ChatClient } from "../chat-client.ts";
import { expectOptions, peer } from "../check-options.ts";
import { asChatError } from "../errors.ts";
import { createMerger } from "../merge-pieces.ts";
import { type ChatReply, inputTokens, type StreamEvent } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { wrapClient } from "../wrap/wrap-client.ts";

export interface TracingOptions {
  /** Default: the tracer of the global provider. */
  readonly tracer?: Tracer;
  /** Whether spans contain the texts of requests and replies. Default false, because they can be private. */
  readonly recordContent?: boolean;
}

/** A pending call: its span, a function that runs code in its context, and one that records its failure. */
interface Begun {
  readonly span: Span;
  readonly run: <Result>(call: () => Result) => Result;
  readonly fail: (thrown: unknown) => void;
}

/**
 * Adds a span to each call with OpenTelemetry's conventions for generative AI. The span of a stream ends with the stream,
 * even if it is stopped or fails.
 */
export function traced(inner: ChatClient, options: TracingOptions = {}): ChatClient {
  expectOptions(options, { tracer: true, recordContent: true });
  const { recordContent = false } = options;
  const begin = (request: ChatRequest): Promise<Begun> => beginCall(inner, request, options);
  return wrapClient(inner, {
    async complete(request) {
      const { span, run, fail } = await begin(request);
      try {
        const reply = await run(() => inner.complete(request));
        span.setAttributes(answeredAttributes(reply, recordContent));
        return reply;
      } catch (error) {
        fail(error);
        throw error;
      } finally {
        span.end();
      }
    },
    async *stream(request): AsyncGenerator<StreamEvent, void, undefined> {
      const { span, run, fail } = await begin(request);
      const merger = createMerger();
      const events = run(() => inner.stream(request)[Symbol.asyncIterator]());
      try {
        for (;;) {
          const next = await run(() => events.next());
          if (next.done === true) break;
          merger.add(next.value);
          yield next.value;
        }
      } catch (error) {
        fail(error);
        throw error;
      } finally {
        if (merger.finished) span.setAttributes(answeredAttributes(merger.reply(), recordContent));
        span.end();
        await events.return?.();
      }
    },
  });
}

async function beginCall(inner: ChatClient, request: ChatRequest, options: TracingOptions): Promise<Begun> {
  const { context, trace, SpanKind, SpanStatusCode } = await peer(() => import("@opentelemetry/api"));
  const { tracer = trace.getTracer("llm-tapedeck"), recordContent = false } = options;
  const span = tracer.startSpan(`chat ${inner.model}`, {
    kind: SpanKind.CLIENT,
    attributes: askedAttributes(inner, request, recordContent),
  });
  const within = trace.setSpan(context.active(), span);
  return {
    span,
    run: (call) => context.with(within, call),
    fail: (thrown) => noteFailure(span, thrown, SpanStatusCode.ERROR),
  };
}

function askedAttributes(client: ChatClient, request: ChatRequest, recordContent: boolean): Attributes {
  const { settings = {}, messages } = request;
  return withoutAbsent({
    [GEN_AI.operationName]: "chat",
    [GEN_AI.providerName]: client.provider,
    [GEN_AI.requestModel]: client.model,
    [GEN_AI.requestMaxTokens]: settings.maxOutputTokens,
    [GEN_AI.requestTemperature]: settings.temperature,
    [GEN_AI.requestTopP]: settings.topP,
    [GEN_AI.inputMessages]: recordContent ? JSON.stringify(messages) : undefined,
  });
}

function answeredAttributes(reply: ChatReply, recordContent: boolean): Attributes {
  const { usage, id, model, finishReason } = reply;
  return withoutAbsent({
    [GEN_AI.responseId]: id,
    [GEN_AI.responseModel]: model,
    [GEN_AI.responseFinishReasons]: [finishReason],
    [GEN_AI.inputTokens]: usage && inputTokens(usage),
    [GEN_AI.outputTokens]: usage?.outputTokens,
    [GEN_AI.outputMessages]: recordContent ? JSON.stringify([reply.message]) : undefined,
  });
}

function withoutAbsent(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

function noteFailure(span: Span, thrown: unknown, code: number): void {
  const error = asChatError(thrown);
  span.setAttribute(ERROR_TYPE, error.kind);
  span.recordException(error);
  span.setStatus({ code, message: error.message });
}
