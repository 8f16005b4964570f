import { requestObject } from "./check-request.ts";
import { asChatError } from "./errors.ts";
import { createMerger } from "./merge-pieces.ts";
import { textOf } from "./message.ts";
import type { OutputSchema } from "./output-schema.ts";
import type { StreamEvent } from "./part-stream.ts";
import type { ChatReply } from "./reply.ts";
import type { ChatRequest } from "./request.ts";
import { readOutput } from "./structured-output.ts";

/**
 * Reads a stream to its end and gives the whole answer; with `output`, the structured one is read from the text where
 * the stream did not tell it.
 * @throws ChatError "connection" where the stream was cut, and whatever the stream throws.
 */
export async function collect(stream: AsyncIterable<StreamEvent>, output?: OutputSchema): Promise<ChatReply> {
  const merger = createMerger();
  for await (const event of stream) merger.add(event);
  return withOutput(merger.reply(), output);
}

/** Answers whole by reading the stream: for clients that only stream. @throws ChatError as `collect` */
export function completing(
  stream: (request: ChatRequest) => AsyncIterable<StreamEvent>,
): (request: ChatRequest) => Promise<ChatReply> {
  return async (request) => {
    requestObject(request);
    return collect(stream(request), request.output);
  };
}

/** The reply with its structured answer, where one was asked for and is not there yet. */
export async function withOutput(reply: ChatReply, output: OutputSchema | undefined): Promise<ChatReply> {
  if (output === undefined || "output" in reply) return reply;
  try {
    return Object.freeze({ ...reply, output: await readOutput(output, textOf(reply.message)) });
  } catch (thrown) {
    throw Object.assign(asChatError(thrown), { reply });
  }
}
