import { expectList, expectOptions, createOptionChecker } from "../check-options.ts";
import type { ChatClient } from "../chat-client.ts";
import { checkRequest } from "../check-request.ts";
import { cancelled, chatError, invalid } from "../errors.ts";
import { copyFrozen } from "../json/plain.ts";
import { createCompleting } from "../merge-pieces.ts";
import { textOf } from "../message.ts";
import { mockEvents, type MockReply, splitText, type TextPieces } from "./mock-reply.ts";
import type { StreamEvent, Usage } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { realSurroundings, type Surroundings } from "../surroundings.ts";

export interface MockOptions {
  /** Default "mock". */
  readonly provider?: string;
  /** Default "mock". */
  readonly model?: string;
  /** ID of the answers: one for all, or made from the 1-based number of the call. Default `mock-1`, `mock-2`, … */
  readonly id?: string | ((call: number) => string);
  /** Usage of answers without one. Default: none. */
  readonly usage?: Partial<Usage>;
  /** Pieces of streamed texts, thoughts, and arguments. Default "whole". */
  readonly pieces?: TextPieces;
  /** Milliseconds before each event: one number, or a list such as that of a recording (0 after its end). */
  readonly delayMs?: number | readonly number[];
  readonly surroundings?: Surroundings;
}

const MOCK_OPTIONS = createOptionChecker<MockOptions>()(
  "provider model id usage pieces delayMs surroundings",
);

export interface MockClient extends ChatClient {
  /** Copies of the requests so far, without their signals. */
  readonly calls: readonly ChatRequest[];
}

/** Returns the answer to a call; `call` is its 1-based number. */
export type Answering = (request: ChatRequest, call: number) => MockReply | Promise<MockReply>;

/** Makes a client that answers with the result of a function. All other mocks use this one. */
export function functionClient(answer: Answering, options: MockOptions = {}): MockClient {
  expectOptions(options, MOCK_OPTIONS);
  const { provider = "mock", model = "mock", id, usage, surroundings = realSurroundings() } = options;
  checkDelays(options.delayMs);
  const calls: ChatRequest[] = [];
  const begin = async (request: ChatRequest): Promise<readonly StreamEvent[]> => {
    checkRequest(request);
    const { signal: _, ...rest } = request;
    const call = calls.push(copyFrozen(rest));
    const made = await answer(request, call);
    const idOf = typeof id === "function" ? id(call) : (id ?? `${provider}-${call}`);
    return mockEvents(made, { id: idOf, model, usage });
  };
  const stream = async function* (request: ChatRequest): AsyncGenerator<StreamEvent, void, undefined> {
    const events = (await begin(request)).flatMap((event) =>
      cut(event, options.pieces ?? "whole", surroundings),
    );
    for (const [index, event] of events.entries()) {
      await pause(delayOf(options.delayMs, index), surroundings, request.signal);
      yield Object.freeze(event);
    }
  };
  return {
    provider,
    model,
    get calls() {
      return Object.freeze([...calls]);
    },
    stream,
    complete: createCompleting(stream),
  };
}

/** Makes a client that gives all calls the same answer. */
export function fixedClient(reply: MockReply, options: MockOptions = {}): MockClient {
  const kept = copyFrozen(reply);
  return functionClient(() => kept, options);
}

function checkDelays(delayMs: MockOptions["delayMs"]): void {
  const wrong = [delayMs ?? []].flat().find((one) => !(one >= 0 && Number.isFinite(one)));
  if (wrong !== undefined) throw invalid("delayMs", `milliseconds from 0 on are expected, got ${wrong}`);
}

function delayOf(delayMs: MockOptions["delayMs"] = 0, index: number): number {
  return typeof delayMs === "number" ? delayMs : (delayMs[index] ?? 0);
}

async function pause(ms: number, surroundings: Surroundings, signal: AbortSignal | undefined): Promise<void> {
  if (ms > 0) await surroundings.sleep(ms, signal);
  if (signal?.aborted === true) throw cancelled(signal.reason);
}

/** Splits an event into pieces. ID, name, and signature are in the first one. */
function cut(event: StreamEvent, pieces: TextPieces, surroundings: Surroundings): readonly StreamEvent[] {
  const split = (text: string): readonly string[] => splitText(text, pieces, () => surroundings.random());
  if (event.type === "text" || event.type === "thinking") {
    const { type, index } = event;
    return split(event.text).map((text, at) => (at === 0 ? { ...event, text } : { type, index, text }));
  }
  if (event.type !== "tool-call" || event.arguments === undefined) return [event];
  const { type, index } = event;
  return split(event.arguments).map((piece, at) =>
    at === 0 ? { ...event, arguments: piece } : { type, index, arguments: piece },
  );
}

/** Makes a client that answers with the text of the last message, which must be the user's. */
export function echoClient(options: MockOptions = {}): MockClient {
  return functionClient(
    ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role !== "user") {
        const where = `messages[${messages.length - 1}]`;
        throw invalid(
          where,
          `the last message must be the user's for an echo, but its role is ${String(last?.role)}`,
        );
      }
      return textOf(last);
    },
    { provider: "echo", model: "echo", ...options },
  );
}

export interface ScriptedClient extends MockClient {
  readonly left: number;
}

/**
 * Makes a client that answers calls one after another. A call after the last answer fails with "not-recorded" and its
 * number. An error counts as an answer.
 */
export function scriptedClient(replies: readonly MockReply[], options: MockOptions = {}): ScriptedClient {
  expectList(replies, "replies");
  const script = copyFrozen(replies);
  let used = 0;
  const client = functionClient((_, call) => {
    const reply = script[used];
    if (reply === undefined)
      throw chatError("not-recorded", `The script has no answer for call ${call}: it has ${script.length}.`, {
        where: `call ${call}`,
        hint: "Add an answer to the script, or make fewer calls.",
      });
    used += 1;
    return reply;
  }, options);
  return Object.defineProperties(client, {
    left: { get: () => script.length - used, enumerable: true },
  }) as ScriptedClient;
}
