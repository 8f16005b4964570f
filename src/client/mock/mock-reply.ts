import { invalid } from "../errors.ts";
import { frozenCopy, shown } from "../json/plain.ts";
import { isFields } from "../../core/protocol/reading/lenient.ts";
import type { Message, Part } from "../message.ts";
import { checkMessage } from "../check-message.ts";
import type { StreamEvent } from "../part-stream.ts";
import type { ChatReply, FinishReason } from "../reply.ts";
import { usage as usageOf, type Usage } from "../usage.ts";
import { replyEvents } from "../reply-events.ts";

/** What a mock answers in full. What is left out is the mock's own: its id, model and usage. */
export interface MockAnswer {
  readonly content?: string | Part | readonly Part[];
  /** Default: "tool-calls" where the content has some, else "stop". */
  readonly finishReason?: FinishReason;
  /** What is left out of it counts 0; null for an answer without usage. */
  readonly usage?: Partial<Usage> | null;
  readonly id?: string;
  readonly model?: string;
}

/**
 * What a mock answers: a text, parts, a whole answer, the events of a stream as they are to come, a `ChatReply` of
 * another client, or an error that the call fails with.
 */
export type MockReply =
  | string
  | Part
  | readonly Part[]
  | MockAnswer
  | ChatReply
  | { readonly events: readonly StreamEvent[] }
  | Error;

/** What the mock fills in. */
export interface MockDefaults {
  readonly id: string;
  readonly model: string;
  readonly usage: Partial<Usage> | undefined;
}

/** The events of an answer, all new. @throws the error that the reply is; ChatError "validation" for what is no reply. */
export function mockEvents(reply: MockReply, defaults: MockDefaults): readonly StreamEvent[] {
  if (reply instanceof Error) throw reply;
  const given: unknown = reply;
  if (isFields(given) && Array.isArray(given["events"])) return frozenCopy(given["events"]);
  return replyEvents(isReply(reply) ? frozenCopy(reply) : replyOf(answerOf(reply), defaults));
}

/** Whether the reply of a mock is a whole `ChatReply`. */
function isReply(reply: MockReply): reply is ChatReply {
  return typeof reply === "object" && "message" in reply && "finishReason" in reply;
}

function answerOf(reply: Exclude<MockReply, ChatReply | Error>): MockAnswer {
  if (typeof reply === "string" || Array.isArray(reply)) return { content: reply };
  const given: unknown = reply;
  if (!isFields(given)) throw invalid("reply", `a text, parts or an answer is expected, got ${shown(given)}`);
  return "type" in reply ? { content: reply } : given;
}

function replyOf(answer: MockAnswer, defaults: MockDefaults): ChatReply {
  const { content = [], id = defaults.id, model = defaults.model, usage = defaults.usage } = answer;
  const parts = typeof content === "string" ? [{ type: "text", text: content } as const] : [content].flat();
  const message: Message = { role: "assistant", parts };
  if (parts.length > 0) checkMessage(message, "reply");
  const finishReason =
    answer.finishReason ?? (parts.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop");
  return frozenCopy({ message, finishReason, id, model, ...(usage && { usage: usageOf(usage) }) });
}
