import { isFields, type Fields } from "../../../core/protocol/reading/lenient.ts";

/**
 * Sends one request in the provider's own words. The answer is one object, or a stream of them where the request asks
 * for one. Throws what the SDK throws.
 */
export type ChatTransport = (args: Fields, signal?: AbortSignal) => Promise<unknown>;

/** Whether a provider answered with a stream of chunks. */
export function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return isFields(answer) && Symbol.asyncIterator in answer;
}
