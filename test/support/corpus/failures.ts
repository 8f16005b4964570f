import { times, type GeneratedCall } from "./place.ts";
import type { Voice } from "./voice.ts";
import { jsonReply, jsonRequest } from "./wire.ts";

/** Errors in the shape of each provider: who it is, what was asked, and what it answers with. */
const SHAPES: readonly Shape[] = [
  {
    provider: "openai",
    path: "/v1/chat/completions",
    operation: "chat.completions",
    kinds: [
      [400, "invalid_request_error"],
      [401, "invalid_api_key"],
      [429, "rate_limit_exceeded"],
      [500, "server_error"],
    ],
    shape: (type, message) => ({ error: { message, type, param: null, code: type } }),
  },
  {
    provider: "anthropic",
    path: "/v1/messages",
    operation: "messages",
    kinds: [
      [400, "invalid_request_error"],
      [404, "not_found_error"],
      [529, "overloaded_error"],
    ],
    shape: (type, message) => ({ type: "error", error: { type, message }, request_id: "req_corpus" }),
  },
  {
    provider: "openai",
    path: "/v1/responses",
    operation: "responses",
    kinds: [[400, "invalid_request_error"]],
    shape: (type, message) => ({ error: { message, type, param: "input", code: null } }),
  },
  {
    provider: "gemini",
    path: "/v1beta/models/corpus-twin-1:generateContent",
    operation: "generateContent",
    kinds: [
      [400, "INVALID_ARGUMENT"],
      [503, "UNAVAILABLE"],
    ],
    shape: (status, message, code) => ({ error: { code, message, status } }),
  },
  {
    provider: "bedrock",
    path: "/model/corpus.bard-1/converse",
    operation: "converse",
    kinds: [[400, "ValidationException"]],
    shape: (_type, message) => ({ message }),
  },
  {
    provider: "cohere",
    path: "/v2/chat",
    operation: "chat",
    kinds: [[400, "bad_request"]],
    shape: (_type, message) => ({ id: "corpus", message }),
  },
];

interface Shape {
  readonly provider: string;
  readonly path: string;
  readonly operation: string;
  readonly kinds: readonly (readonly [status: number, type: string])[];
  readonly shape: (type: string, message: string, status: number) => object;
}

export interface MadeFailure extends GeneratedCall {
  readonly provider: string;
  readonly operation: string;
}

/** Answers that are errors: passed on, and never recorded. */
export function failures(voice: Voice): readonly MadeFailure[] {
  return SHAPES.flatMap(({ provider, path, operation, kinds, shape }) =>
    kinds.map(([status, type]) => ({
      provider,
      operation,
      name: `error-${status}`,
      request: jsonRequest(path, asked(path, voice)),
      reply: jsonReply(shape(type, voice.sentence(), status), "compact", status),
    })),
  );
}

function asked(path: string, voice: Voice): object {
  const text = voice.text();
  if (path.includes("generateContent")) return { contents: [{ role: "user", parts: [{ text }] }] };
  if (path.includes("converse")) return { messages: [{ role: "user", content: [{ text }] }] };
  if (path.endsWith("/responses")) return { model: "corpus-reason-1", input: text };
  return {
    model: "corpus-chat-1",
    messages: times(1, () => ({ role: "user", content: text })),
    ...(path.endsWith("/messages") && { max_tokens: 64 }),
  };
}
