import {
  type Fields,
  readFields,
  isFields,
  tryParsePlainJson,
  readText,
} from "../../../core/base/lenient.ts";
import { createFrameCutter, readFrame } from "../../../core/base/wire/sse.ts";
import { type Connection, findKey } from "./connection.ts";
import { readEnvironmentVariables } from "../../../client/environment.ts";

/** A call of an endpoint. Further members of the body go into `parameters`. */
export interface DashscopeCall {
  readonly endpoint: "generation" | "multimodal";
  readonly model: string;
  readonly messages: unknown;
  readonly parameters: Fields;
  readonly stream: boolean;
  readonly apiKey?: string | undefined;
}

const DEFAULT_ADDRESS = "https://dashscope.aliyuncs.com/api/v1";
const PATHS = {
  generation: "/services/aigc/text-generation/generation",
  multimodal: "/services/aigc/multimodal-generation/generation",
} as const;

/**
 * Sends a call to DashScope's native API, which has no SDK for JavaScript. As in the Python SDK, the answer or each chunk
 * of a stream gets the member `status_code`, and a failure is an answer too.
 * Source: the HTTP reference of Model Studio, "DashScope", and dashscope-sdk-python, 2026-11.
 */
export async function sendDashscope(
  connection: DashscopeConnection,
  call: DashscopeCall,
  signal?: AbortSignal,
): Promise<Fields | AsyncIterable<Fields>> {
  const send = connection.fetch ?? globalThis.fetch;
  const base =
    connection.baseURL ?? (readEnvironmentVariables()["DASHSCOPE_HTTP_BASE_URL"] || DEFAULT_ADDRESS);
  const { endpoint, model, messages, parameters, stream } = call;
  const key = call.apiKey ?? findKey(connection, "DASHSCOPE_API_KEY");
  const response = await send(base.replace(/\/+$/, "") + PATHS[endpoint], {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: stream ? "text/event-stream" : "application/json",
      authorization: `Bearer ${key}`,
      ...(stream && { "x-dashscope-sse": "enable" }),
      ...connection.headers,
    },
    body: JSON.stringify({ model, input: { messages }, parameters }),
    signal: signal ?? null,
  });
  const streams = response.headers.get("content-type")?.includes("text/event-stream") === true;
  if (streams && response.body !== null) return chunksOf(response.body, response.status);
  const answer = answerOf(await response.text(), response.status);
  return stream ? once(answer) : answer;
}

/** Yields an answer as a stream, so that a failure before the stream is reported when the stream is read. */
async function* once(answer: Fields): AsyncGenerator<Fields, void, void> {
  yield answer;
}

function answerOf(text: string, status: number): Fields {
  const fields = tryParsePlainJson(text);
  return {
    status_code: status,
    ...(isFields(fields) ? failureOf(fields) : { code: "", message: text.slice(0, 500) }),
  };
}

/** Returns a failure without the envelope `error`, which the engine adds as in the OpenAI-compatible API. */
function failureOf(fields: Fields): Fields {
  const { error } = fields;
  return isFields(error) && fields["message"] === undefined ? { ...fields, ...error } : fields;
}

async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  status: number,
): AsyncGenerator<Fields, void, void> {
  const cutter = createFrameCutter();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const frames = done ? [cutter.rest()] : cutter.push(value);
      for (const frame of frames) {
        const chunk = chunkOf(decoder.decode(frame), status);
        if (chunk !== undefined) yield chunk;
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Reads a chunk. Its status is in a comment, `:HTTP_STATUS/200`. */
function chunkOf(frame: string, status: number): Fields | undefined {
  const { data, event } = readFrame(frame);
  if (data === undefined || data === "[DONE]") return undefined;
  const comment = /^:\s*HTTP_STATUS\/(\d{3})/m.exec(frame)?.[1];
  const fields = failureOf(readFields(tryParsePlainJson(data)));
  const failed =
    event === "error" || (readText(fields["code"]) !== undefined && fields["output"] === undefined);
  const chunkStatus = comment === undefined ? status : Number(comment);
  return { status_code: failed && chunkStatus < 400 ? 500 : chunkStatus, ...fields };
}

/** `baseURL` is the address including `/api/v1`. Default: DASHSCOPE_HTTP_BASE_URL. */
export type DashscopeConnection = Connection;
