import type { ChatClient } from "../chat-client.ts";
import { collect, replyEvents } from "../merge-pieces.ts";
import { asChatError, invalid, type ChatError } from "../errors.ts";
import { assistant, user } from "../make-message.ts";
import type { Message } from "../message.ts";
import type { ChatRequest, OutputSchema } from "../request.ts";
import type { ChatReply } from "../reply.ts";
import { readOutput } from "../structured-output.ts";
import { wrapClient } from "./wrap-client.ts";

export interface RepairOptions {
  /** Maximum number of further requests. Default 1. */
  readonly attempts?: number;
  /** Returns the text of a further request. Default: the fault, and a request for JSON only. */
  readonly ask?: (fault: ChatError) => string;
}

/**
 * Repairs invalid structured answers: first extracts JSON from the text, then shows the fault to the model and asks again.
 * A stream with a structured answer is emitted when it is complete.
 * @throws ChatError "validation" of the last answer
 */
export function repairingOutput(inner: ChatClient, options: RepairOptions = {}): ChatClient {
  const { attempts = 1, ask = askAgain } = options;
  if (!Number.isSafeInteger(attempts) || attempts < 0)
    throw invalid("attempts", `a whole number from 0 on is expected, got ${attempts}`);
  const repaired = async (request: ChatRequest, first: () => Promise<ChatReply>): Promise<ChatReply> => {
    const { output } = request;
    let messages: readonly Message[] = request.messages;
    let answering = first();
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await answering;
      } catch (thrown) {
        const fault = asChatError(thrown);
        if (output === undefined || fault.answer === undefined) throw fault;
        const mended = await mend(output, fault.answer, fault.reply);
        if (mended !== undefined) return mended;
        if (attempt >= attempts) throw fault;
        messages = [...messages, ...(fault.answer === "" ? [] : [assistant(fault.answer)]), user(ask(fault))];
        answering = inner.complete({ ...request, messages });
      }
    }
  };
  return wrapClient(inner, {
    complete: (request) => repaired(request, () => inner.complete(request)),
    async *stream(request) {
      if (request.output === undefined) yield* inner.stream(request);
      else yield* replyEvents(await repaired(request, () => collect(inner.stream(request), request.output)));
    },
  });
}

/** Makes a reply from JSON between code fences or prose; returns undefined if none matches the schema. */
async function mend(
  output: OutputSchema,
  answer: string,
  reply: ChatReply = { message: assistant(answer), finishReason: "stop" },
): Promise<ChatReply | undefined> {
  for (const text of candidates(answer)) {
    try {
      return Object.freeze({ ...reply, output: await readOutput(output, text) });
    } catch {
      // The next candidate may fit.
    }
  }
  return undefined;
}

function candidates(answer: string): readonly string[] {
  const fenced = Array.from(answer.matchAll(/```(?:json)?[^\S\n]*\n([^]*?)```/g), ([, inside]) =>
    String(inside).trim(),
  );
  return [...fenced, ...(/[{[][^]*[}\]]/.exec(answer) ?? [])];
}

function askAgain(fault: ChatError): string {
  return `${fault.message}\nAnswer again with JSON that matches the schema, without any other text.`;
}
