import type { Answer, MadeUpReply } from "../../core/call/call.ts";
import type { LenientAnswer, MockName } from "../../core/config/config.ts";
import { type ScriptedReply, isFailed, type ScriptedToolCall } from "../../core/call/mocks.ts";
import type { AnswerSource } from "../../core/answer/source/source.ts";
import type { Exchange } from "../../core/match/read-request.ts";
import type { ChatClient } from "../chat-client.ts";
import { textOf } from "../message.ts";
import { type Answering, fixedClient, functionClient } from "../mock/mock-client.ts";
import { clientFromProvider } from "../../systems/kosong/core-client.ts";
import { EchoChatProvider, ScriptedEchoChatProvider } from "../../systems/kosong/echo-chat-provider.ts";
import { answerOf } from "./answer.ts";
import { turnsOf, type Turns } from "./call-match.ts";
import { tapedeckError, type TapedeckError, explain, isTapedeckError } from "../../core/base/errors.ts";
import type { ToolCallDraft } from "../../core/protocol/base/protocol.ts";
import { statusError } from "../errors.ts";
import { type MockReply, mockOfDraft } from "../mock/mock-reply.ts";

/** Answers a call, if it is for it. */
type Mock = (exchange: Exchange) => Promise<Answer>;

/**
 * What lenient mode answers with, as it is wanted now. A script begins anew with each run of the tests, and where it is
 * another one.
 */
export function lenientReplies(wanted: () => LenientAnswer): AnswerSource {
  const mocks = perStretch(mockOf);
  return { name: "default", answer: (exchange) => mocks(exchange, wanted())(exchange) };
}

/** Something that counts calls, made anew for each run of the tests and from whatever it is made of. */
export function perStretch<From extends object, T>(
  make: (from: From) => T,
): (exchange: Exchange, from: From) => T {
  // The counts of a run are another object where a new stretch begins.
  const known = new WeakMap<object, { readonly from: From; readonly made: T }>();
  return ({ call: { run } }, from) => {
    let one = known.get(run.counts);
    if (one?.from !== from) known.set(run.counts, (one = { from, made: make(from) }));
    return one.made;
  };
}

export function mockOf(answer: LenientAnswer): Mock {
  if ("script" in answer) return scriptMock(answer.script);
  if ("mock" in answer) {
    const { client, by } = MOCKS[answer.mock]();
    return (exchange) => answerOf(client, exchange, by);
  }
  const client = fixedClient(answer.reply);
  return (exchange) => answerOf(client, exchange, "the default reply");
}

/** The texts of the last message of the user that has any; what was said last where there is none. */
const echoed: Answering = ({ messages }) => {
  const texts = messages.map((message) => ({ role: message.role, text: textOf(message, "\n") }));
  const last = texts.findLast(({ role, text }) => role === "user" && text !== "") ?? texts.at(-1);
  return last?.text ?? "";
};

// Made when asked for: what is made at once stays in every bundle of the client core.
const MOCKS: Readonly<Record<MockName, () => { readonly client: ChatClient; readonly by: string }>> = {
  echo: () => ({ client: functionClient(echoed), by: "the echo" }),
  kosong: () => ({ client: clientFromProvider(new EchoChatProvider()), by: "kosong's echo" }),
};

/** The first reply that fits and is not used up. A call for which none is left ends in an error. */
function scriptMock(script: readonly ScriptedReply[]): Mock {
  const turns = turnsOf(script);
  return async (exchange) => {
    const turn = turns.next(exchange);
    if (turn === undefined) throw ranDry(exchange, script, turns);
    return answerOf(clientOf(turn.entry), exchange, `reply ${turn.number} of the script`);
  };
}

/** A client that answers once, with one reply of a script. */
export function clientOf(reply: ScriptedReply): ChatClient {
  if ("kosong" in reply) return clientFromProvider(new ScriptedEchoChatProvider([reply.kosong]));
  return fixedClient(mockReplyOf(reply));
}

/** What a script's reply is to a mock; a text in kosong's echo language is not one yet. */
function mockReplyOf(reply: Exclude<ScriptedReply, { readonly kosong: string }>): MockReply {
  if (isFailed(reply)) {
    const { status, message = `The mock answers with ${status}.`, retryAfter } = reply;
    return statusError(status, message, {
      ...(retryAfter !== undefined && { retryAfterMs: retryAfter * 1_000 }),
    });
  }
  if (typeof reply.reply === "string") return reply.reply;
  const { text = "", toolCalls = [], usage, finish } = reply.reply;
  return mockOfDraft({
    text,
    toolCalls: toolCalls.map(callDraft),
    ...(finish && { finish }),
    ...(usage && { usage: { inputTokens: 0, outputTokens: 0, ...usage } }),
  });
}

function callDraft({ name, arguments: args = {}, id }: ScriptedToolCall, index: number): ToolCallDraft {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return { id: id ?? `call_${index + 1}`, name, arguments: text };
}

/** Says of a call for which a script has nothing left what is left of it. */
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
  return tapedeckError(
    "tapedeck_miss",
    `The script has no reply for this ${what} call ("${facts.label}"): ${why}.`,
    { hint: "Add a reply to the script, or let one answer several calls with times." },
  );
}

/** What a call would get from a mock: an answer, or why it would get none. */
export type Rehearsed = MadeUpReply | { readonly problem: string };

/** What calls would be answered with, one after another. It is no run: what is counted of runs stays as it is. */
export async function rehearse(
  calls: readonly Exchange[],
  answer: LenientAnswer,
): Promise<readonly Rehearsed[]> {
  const mock = mockOf(answer);
  const rehearsed: Rehearsed[] = [];
  for (const call of calls) rehearsed.push(await mock(call).then(madeUpOf, problemOf));
  return rehearsed;
}

async function madeUpOf({ settled }: Awaited<ReturnType<ReturnType<typeof mockOf>>>): Promise<Rehearsed> {
  return (await settled).madeUp ?? { problem: "It makes nothing up." };
}

function problemOf(error: unknown): Rehearsed {
  if (isTapedeckError(error)) return { problem: explain(error) };
  throw error;
}
