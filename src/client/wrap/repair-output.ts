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
  /** How often the model is asked again. Default 1. */
  readonly attempts?: number;
  /** What it is asked; default: what was wrong, and to answer with JSON alone. */
  readonly ask?: (fault: ChatError) => string;
}

/**
 * Mends structured answers that do not fit: first by taking JSON out of what stands around it, then by showing the model
 * what was wrong and asking again. A stream with a structured answer is told when it is whole.
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
    for (let asked = 0; ; asked += 1) {
      try {
        return await answering;
      } catch (thrown) {
        const fault = asChatError(thrown);
        if (output === undefined || fault.answer === undefined) throw fault;
        const mended = await mend(output, fault.answer, fault.reply);
        if (mended !== undefined) return mended;
        if (asked >= attempts) throw fault;
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

/** A reply of the JSON that stands in a text between fences or prose; undefined where there is none that fits. */
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
  return `${fault.message}\nAnswer again with JSON that fits the schema, and with nothing else.`;
}
