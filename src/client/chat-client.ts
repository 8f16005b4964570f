import type { ChatReply, StreamEvent } from "./reply.ts";
import type { ChatRequest } from "./request.ts";

/**
 * A chat model, real or made up. Requests are never changed, and replies and events are never changed after they were
 * handed out. Failures are `ChatError`s; `complete` and the first step of a stream check the request before anything
 * is sent.
 */
export interface ChatClient {
  /** Who answers, e.g. "openai"; names the provider in errors, logs and traces. */
  readonly provider: string;
  readonly model: string;
  /** @throws ChatError */
  complete(request: ChatRequest): Promise<ChatReply>;
  /** To be read once; nothing is sent before the first step, and leaving early ends the request. @throws ChatError */
  stream(request: ChatRequest): AsyncIterable<StreamEvent>;
  /** Releases connections; may be called twice. */
  close?(): Promise<void>;
}
