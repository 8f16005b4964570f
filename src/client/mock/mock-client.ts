import { expectList, expectOptions, optionsOf } from "../check-options.ts";
import type { ChatClient } from "../chat-client.ts";
import { checkRequest } from "../check-request.ts";
import { cancelled, chatError, invalid } from "../errors.ts";
import { frozenCopy } from "../json/plain.ts";
import { completing } from "../merge-pieces.ts";
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
  /** The id of each answer: one for all, or made by the number of the call (from 1). Default `mock-1`, `mock-2`, … */
  readonly id?: string | ((call: number) => string);
  /** Of answers that do not say; without it they have none. */
  readonly usage?: Partial<Usage>;
  /** How streamed texts, thoughts and arguments are cut. Default "whole". */
  readonly pieces?: TextPieces;
  /** Milliseconds before each event: one number, or one for each (0 beyond the list), which a recording may have. */
  readonly delayMs?: number | readonly number[];
  readonly surroundings?: Surroundings;
}

const MOCK_OPTIONS = optionsOf<MockOptions>()("provider model id usage pieces delayMs surroundings");

export interface MockClient extends ChatClient {
  /** The requests so far, as they were when they came, without their signals. */
  readonly calls: readonly ChatRequest[];
}

/** Makes the answer to a call; `call` counts from 1. */
export type Answering = (request: ChatRequest, call: number) => MockReply | Promise<MockReply>;

/** Answers with what a function makes of the request. All other mocks are made with this one. */
export function functionClient(answer: Answering, options: MockOptions = {}): MockClient {
  expectOptions(options, MOCK_OPTIONS);
  const { provider = "mock", model = "mock", id, usage, surroundings = realSurroundings() } = options;
  checkDelays(options.delayMs);
  const calls: ChatRequest[] = [];
  const begin = async (request: ChatRequest): Promise<readonly StreamEvent[]> => {
    checkRequest(request);
    const { signal: _, ...asked } = request;
    const call = calls.push(frozenCopy(asked));
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
    complete: completing(stream),
  };
}

/** Answers every call alike: the same parts, each time new. */
export function fixedClient(reply: MockReply, options: MockOptions = {}): MockClient {
  const kept = frozenCopy(reply);
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

/** An event as several that give the same: id, name and signature go with the first piece. */
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

/** Answers with the text of the last message, which must be the user's. */
export function echoClient(options: MockOptions = {}): MockClient {
  return functionClient(
    ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role !== "user") {
        const where = `messages[${messages.length - 1}]`;
        throw invalid(
          where,
          `an echo needs the user's message last, and this one is the ${String(last?.role)}'s`,
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
 * Answers the calls one after the other. A call beyond the last answer fails with "not-recorded", which says which call
 * it was; an answer that is an error is used up like any other.
 */
export function scriptedClient(replies: readonly MockReply[], options: MockOptions = {}): ScriptedClient {
  expectList(replies, "replies");
  const script = frozenCopy(replies);
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
