import type { ChatReply, StreamEvent } from "./reply.ts";
import type { ChatRequest } from "./request.ts";

/**
 * A chat model, real or mocked. Requests are never changed; replies and events are never changed after they were
 * returned. Failures are `ChatError`s. `complete` and the first step of a stream check the request before it is sent.
 */
export interface ChatClient {
  /** Name of the provider in errors, logs, and traces, e.g. "openai". */
  readonly provider: string;
  readonly model: string;
  /** Resolves to the whole reply. @throws ChatError */
  complete(request: ChatRequest): Promise<ChatReply>;
  /** Streams the reply once. The first step sends the request; stopping early aborts it. @throws ChatError */
  stream(request: ChatRequest): AsyncIterable<StreamEvent>;
  /** Releases connections. Can be called more than once. */
  close?(): Promise<void>;
}
