import type { Answer } from "../../core/call/call.ts";
import type { LenientAnswer, MockName } from "../../core/config/config.ts";
import { type ScriptedReply, isFailed, type ScriptedToolCall } from "../../core/call/mocks.ts";
import type { AnswerSource } from "../../core/answer/source/source.ts";
import type { Exchange } from "../../core/match/read-request.ts";
import { textOf } from "../message.ts";
import { clientFromProvider } from "../../systems/kosong/core-client.ts";
import type { ChatProvider } from "../../systems/kosong/chat-provider.ts";
import { EchoChatProvider, ScriptedEchoChatProvider } from "../../systems/kosong/echo-chat-provider.ts";
import { createMockAnswer, type Mock, readChatRequest } from "./answer.ts";
import { createTurns, type Turns } from "./call-match.ts";
import { createTapedeckError, type TapedeckError } from "../../core/base/errors.ts";
import type { ReplyDraft, ToolCallDraft } from "../../core/protocol/base/protocol.ts";
import { statusError } from "../errors.ts";
import { createDraft, splitInWords } from "../mock/mock-reply.ts";

/**
 * Makes the source of lenient mode's replies. A script restarts with each run of the tests, and if it changes.
 */
export function createLenientReplies(current: () => LenientAnswer): AnswerSource {
  const mocks = createPerStretch(createAnswering);
  return { name: "default", answer: (exchange) => mocks(exchange, current())(exchange) };
}

/** Caches an object that counts calls: `make` is called for each run of the tests, and again if its input changes. */
export function createPerStretch<From extends object, T>(
  make: (from: From) => T,
): (exchange: Exchange, from: From) => T {
  // A new run of the tests in the same folder has a new object of counts.
  const known = new WeakMap<object, { readonly from: From; readonly made: T }>();
  return ({ call: { run } }, from) => {
    let one = known.get(run.counts);
    if (one?.from !== from) known.set(run.counts, (one = { from, made: make(from) }));
    return one.made;
  };
}

type AnswerCall = (exchange: Exchange) => Promise<Answer>;

function createAnswering(answer: LenientAnswer): AnswerCall {
  if ("script" in answer) return answerByScript(answer.script);
  const [mock, by]: readonly [Mock, string] =
    "mock" in answer ? MOCKS[answer.mock] : [() => createTextDraft(answer.reply), "the default reply"];
  return (exchange) => createMockAnswer(mock, exchange, by);
}

const createTextDraft = (text: string): ReplyDraft => ({ text, pieces: splitInWords(text) });

/** Repeats the text of the last user message with text, or of the last message. */
const echo: Mock = (exchange) => {
  const texts = readChatRequest(exchange).messages.map((message) => ({
    role: message.role,
    text: textOf(message, "\n"),
  }));
  const last = texts.findLast(({ role, text }) => role === "user" && text !== "") ?? texts.at(-1);
  return createTextDraft(last?.text ?? "");
};

const asKosong =
  (provider: ChatProvider): Mock =>
  async (exchange) =>
    createDraft(await clientFromProvider(provider).complete(readChatRequest(exchange)));

const MOCKS: Readonly<Record<MockName, readonly [mock: Mock, by: string]>> = {
  echo: [echo, "the echo"],
  kosong: [(exchange) => asKosong(new EchoChatProvider())(exchange), "kosong's echo"],
};

/** Answers with the first unused reply that matches. A call without one fails. */
function answerByScript(script: readonly ScriptedReply[]): AnswerCall {
  const turns = createTurns(script);
  return async (exchange) => {
    const turn = turns.next(exchange);
    if (turn === undefined) throw ranDry(exchange, script, turns);
    return createMockAnswer(createReplyMock(turn.entry), exchange, `reply ${turn.number} of the script`);
  };
}

/** Makes a mock that gives one reply of a script. */
export function createReplyMock(reply: ScriptedReply): Mock {
  if ("kosong" in reply) return asKosong(new ScriptedEchoChatProvider([reply.kosong]));
  return () => {
    if (isFailed(reply)) {
      const { status, message = `The mock answers with ${status}.`, retryAfter } = reply;
      throw statusError(status, message, {
        ...(retryAfter !== undefined && { retryAfterMs: retryAfter * 1_000 }),
      });
    }
    if (typeof reply.reply === "string") return createTextDraft(reply.reply);
    const { text = "", toolCalls = [], usage, finish } = reply.reply;
    return {
      ...createTextDraft(text),
      toolCalls: toolCalls.map(callDraft),
      ...(finish && { finish }),
      ...(usage && { usage: { inputTokens: 0, outputTokens: 0, ...usage } }),
    };
  };
}

function callDraft({ name, arguments: args = {}, id }: ScriptedToolCall, index: number): ToolCallDraft {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return { id: id ?? `call_${index + 1}`, name, arguments: text };
}

/** Makes the error for a call without a reply in a script. */
function ranDry(
  { facts, provider, protocol }: Exchange,
  script: readonly ScriptedReply[],
  { left }: Turns<ScriptedReply>,
): TapedeckError {
  const what = facts.model ?? `${provider.name} ${protocol.operation}`;
  const why =
    left === 0
      ? `all ${script.length} of its replies are used`
      : `${left} of its ${script.length} replies are left, and none is for this call`;
  return createTapedeckError(
    "tapedeck_miss",
    `The script has no reply for this ${what} call ("${facts.label}"): ${why}.`,
    { hint: "Add a reply to the script, or let one answer several calls with times." },
  );
}
