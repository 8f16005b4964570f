import { asChatError } from "../../client/errors.ts";
import { isStreamed, type ChatModelBase, type ModelAnswer, type ModelCall } from "./model-base.ts";
import type { ChatResponse } from "./response.ts";

/** The used part of OpenTelemetry's tracer; the result of `trace.getTracer("…")` fits. */
export interface ModelTracer {
  startSpan(name: string): ModelSpan;
}

interface ModelSpan {
  setAttributes(attributes: Record<string, string | number>): unknown;
  recordException(error: Error): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

export interface TracedModelOptions {
  readonly tracer: ModelTracer;
  /** Whether spans contain the texts of messages and answers. Default false, because they can be private. */
  readonly recordContent?: boolean;
}

/** OpenTelemetry's status code of failures. */
const ERROR = 2;

/**
 * Adds a span with input, output, usage, and error to a model's `call`. The span of a stream ends with the stream, even if
 * it is stopped early. Errors pass unchanged.
 */
export function tracedCall(model: ChatModelBase, options: TracedModelOptions): ChatModelBase["call"] {
  const { tracer, recordContent = false } = options;
  return async (messages: unknown, call: ModelCall = {}): Promise<ModelAnswer> => {
    const span = tracer.startSpan(`chat ${model.modelName}`);
    span.setAttributes({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": model.modelName,
      ...(recordContent && { "gen_ai.input.messages": JSON.stringify(messages) }),
    });
    try {
      const answer = await model.call(messages, call);
      if (isStreamed(answer)) return tracedStream(answer, span, recordContent);
      recordResponse(span, answer, recordContent);
      span.end();
      return answer;
    } catch (error) {
      fail(span, error);
      span.end();
      throw error;
    }
  };
}

async function* tracedStream(
  responses: AsyncGenerator<ChatResponse, void, void>,
  span: ModelSpan,
  recordContent: boolean,
): AsyncGenerator<ChatResponse, void, void> {
  let last: ChatResponse | undefined;
  try {
    for await (const response of responses) {
      last = structuredClone(response);
      yield response;
    }
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    if (last !== undefined) recordResponse(span, last, recordContent);
    span.end();
  }
}

function recordResponse(span: ModelSpan, { id, usage, content }: ChatResponse, recordContent: boolean): void {
  span.setAttributes({
    "gen_ai.response.id": id,
    ...(usage !== null && {
      "gen_ai.usage.input_tokens": usage.input_tokens,
      "gen_ai.usage.output_tokens": usage.output_tokens,
    }),
    ...(recordContent && { "gen_ai.output.messages": JSON.stringify(content) }),
  });
}

function fail(span: ModelSpan, thrown: unknown): void {
  const error = thrown instanceof Error ? thrown : asChatError(thrown);
  span.recordException(error);
  span.setStatus({ code: ERROR, message: error.message });
}
