import type { Answer } from "../../core/call/call.ts";
import type { LenientAnswer, MockName } from "../../core/config/config.ts";
import { type ScriptedReply, isFailed, type ScriptedToolCall } from "../../core/call/mocks.ts";
import type { AnswerSource } from "../../core/answer/source/source.ts";
import type { Exchange } from "../../core/match/read-request.ts";
import type { ChatClient } from "../chat-client.ts";
import { textOf } from "../message.ts";
import { type Answering, fixedClient, functionClient } from "../mock/mock-client.ts";
import { clientFromProvider } from "../../systems/kosong/core-client.ts";
import { EchoChatProvider, ScriptedEchoChatProvider } from "../../systems/kosong/echo-chat-provider.ts";
import { createClientAnswer } from "./answer.ts";
import { createTurns, type Turns } from "./call-match.ts";
import { createTapedeckError, type TapedeckError } from "../../core/base/errors.ts";
import type { ToolCallDraft } from "../../core/protocol/base/protocol.ts";
import { statusError } from "../errors.ts";
import { type MockReply, mockOfDraft } from "../mock/mock-reply.ts";

/** Answers a call. */
type Mock = (exchange: Exchange) => Promise<Answer>;

/**
 * Makes the source of lenient mode's replies. A script restarts with each run of the tests, and if it changes.
 */
export function createLenientReplies(current: () => LenientAnswer): AnswerSource {
  const mocks = createPerStretch(mockOf);
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

function mockOf(answer: LenientAnswer): Mock {
  if ("script" in answer) return scriptMock(answer.script);
  if ("mock" in answer) {
    const { client, by } = MOCKS[answer.mock]();
    return (exchange) => createClientAnswer(client, exchange, by);
  }
  const client = fixedClient(answer.reply);
  return (exchange) => createClientAnswer(client, exchange, "the default reply");
}

/** Returns the text of the last user message with text, or of the last message. */
const echoed: Answering = ({ messages }) => {
  const texts = messages.map((message) => ({ role: message.role, text: textOf(message, "\n") }));
  const last = texts.findLast(({ role, text }) => role === "user" && text !== "") ?? texts.at(-1);
  return last?.text ?? "";
};

// Made on demand, so that bundlers can remove unused mocks.
const MOCKS: Readonly<Record<MockName, () => { readonly client: ChatClient; readonly by: string }>> = {
  echo: () => ({ client: functionClient(echoed), by: "the echo" }),
  kosong: () => ({ client: clientFromProvider(new EchoChatProvider()), by: "kosong's echo" }),
};

/** Makes a mock that answers with the first unused reply that matches. A call without one fails. */
function scriptMock(script: readonly ScriptedReply[]): Mock {
  const turns = createTurns(script);
  return async (exchange) => {
    const turn = turns.next(exchange);
    if (turn === undefined) throw ranDry(exchange, script, turns);
    return createClientAnswer(createReplyClient(turn.entry), exchange, `reply ${turn.number} of the script`);
  };
}

/** Makes a client that answers once, with one reply of a script. */
export function createReplyClient(reply: ScriptedReply): ChatClient {
  if ("kosong" in reply) return clientFromProvider(new ScriptedEchoChatProvider([reply.kosong]));
  return fixedClient(mockReplyOf(reply));
}

/** Converts a reply of a script, except one in kosong's echo language, to a mock's reply. */
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
