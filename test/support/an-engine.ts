import { buffer } from "node:stream/consumers";
import { createLenientReplies } from "../../src/client/stand-in/lenient.ts";
import type { BudgetRules } from "../../src/core/answer/budget/budget.ts";
import type { Clock } from "../../src/core/base/clock.ts";
import { createEngine, type Engine } from "../../src/core/answer/engine.ts";
import type { Answer, Call, CallEvent, Mode, Run, TestRef } from "../../src/core/call/call.ts";
import type { Normalizer } from "../../src/core/match/key/key.ts";
import { createNearestFinder } from "../../src/core/match/nearest/nearest.ts";
import { createProviders, type ProviderTable } from "../../src/core/protocol/registry.ts";
import { createRun } from "../../src/core/answer/runs.ts";
import type { Connect, IncomingReply, OutgoingRequest } from "../../src/core/answer/source/source.ts";
import type { Secrets } from "../../src/core/secrets/guard.ts";
import type { WatchedStore } from "../../src/core/cassette/store.ts";
import { createMemoryStore } from "../../src/storage/memory-store.ts";
import { sha256 } from "./a-recording.ts";

/** An engine on a store in memory and an upstream function; the clock advances only by `advance`. */
export interface EngineUnderTest {
  readonly engine: Engine;
  readonly store: WatchedStore;
  readonly sent: readonly OutgoingRequest[];
  readonly events: readonly CallEvent[];
  readonly warnings: readonly string[];
  readonly clock: ManualClock;
}

export function anEngine(
  upstream: (request: OutgoingRequest) => IncomingReply | Promise<IncomingReply> = () => chatReply("hello"),
  options: {
    readonly repeats?: "takes" | "same";
    readonly timing?: "none" | "recorded";
    readonly store?: WatchedStore;
    readonly providers?: ProviderTable;
    readonly budget?: Omit<BudgetRules, "warn">;
    readonly secrets?: Secrets;
    readonly normalizer?: () => Normalizer | undefined;
    readonly keepsChain?: boolean;
  } = {},
): EngineUnderTest {
  const { store = createMemoryStore(), repeats = "takes", timing = "none" } = options;
  const { providers = createProviders(), budget = {} } = options;
  const sent: OutgoingRequest[] = [];
  const warnings: string[] = [];
  const events: CallEvent[] = [];
  const clock = manualClock();
  const connect: Connect = async (request) => {
    sent.push(request);
    return upstream(request);
  };
  const lenient = { reply: "by default" };
  const engine: Engine = createEngine({
    store,
    providers,
    clock,
    sha256,
    timing,
    repeats: () => repeats,
    lenient: createLenientReplies(() => lenient),
    findNearest: createNearestFinder({ store, normalizer: () => undefined }),
    warn: (message) => warnings.push(message),
    connect: async () => connect,
    ...budget,
    ...(options.secrets && { secrets: options.secrets }),
    ...(options.normalizer && { normalizer: options.normalizer }),
    keepsChain: () => options.keepsChain === true,
    note: (run, call) => engine.note(run, call),
  });
  engine.onCall((event) => events.push(event));
  return { engine, store, sent, events, warnings, clock };
}

export interface ManualClock extends Clock {
  /** Advances the clock and wakes waits that have elapsed. */
  advance(ms: number): void;
  /** Open waits, in milliseconds from their start. */
  readonly waits: readonly number[];
}

export function manualClock(): ManualClock {
  let time = Date.UTC(2026, 0, 2, 3, 4, 5);
  let sleepers: { readonly until: number; readonly ms: number; wake(): void }[] = [];
  return {
    now: () => time,
    date: () => new Date(time).toISOString(),
    ticks: () => time,
    wait: (ms) => new Promise((wake) => sleepers.push({ until: time + ms, ms, wake })),
    advance(ms) {
      time += ms;
      for (const sleeper of sleepers) if (sleeper.until <= time) sleeper.wake();
      sleepers = sleepers.filter(({ until }) => until > time);
    },
    get waits() {
      return sleepers.map(({ ms }) => ms);
    },
  };
}

export function aRun(mode: Mode, test?: TestRef): Run {
  return createRun({ id: mode, mode, ...(test && { test }) });
}

/** An OpenAI chat call with one user message. */
export function chatCall(
  run: Run,
  content: string,
  more: Partial<ChatBody> = {},
  call: Partial<Call> = {},
): Call {
  const body: ChatBody = { model: "gpt-4o-mini", messages: [{ role: "user", content }], ...more };
  return {
    provider: "openai",
    method: "POST",
    path: "/v1/chat/completions",
    headers: [
      ["content-type", "application/json"],
      ["authorization", "Bearer sk-test-0123456789abcdef"],
    ],
    body: Buffer.from(JSON.stringify(body)),
    signal: new AbortController().signal,
    run,
    ...call,
  };
}

interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly temperature?: number;
  readonly stream?: boolean;
}

export function chatReply(content: string, status = 200): IncomingReply {
  const reply = {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "gpt-4o-mini",
    choices: [{ index: 0, message: { role: "assistant", content, refusal: null }, finish_reason: "stop" }],
    usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
  };
  return { status, headers: [["content-type", "application/json"]], body: encode([JSON.stringify(reply)]) };
}

/** A streamed reply whose chunks come as the iterable gives them. */
export function streamReply(chunks: AsyncIterable<string> | Iterable<string>): IncomingReply {
  return {
    status: 200,
    headers: [["content-type", "text/event-stream; charset=utf-8"]],
    body: encode(chunks),
  };
}

export function chatEvent(content: string): string {
  const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-4o-mini" };
  return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
}

export const DONE = "data: [DONE]\n\n";

export async function textOf(answer: Answer): Promise<string> {
  const { body } = answer.reply;
  return (body instanceof Uint8Array ? Buffer.from(body) : await buffer(body)).toString();
}

/** Makes a call, reads its reply to the end, and returns what became of it and the recording that it made. */
export async function recordCall({ engine, store }: Pick<EngineUnderTest, "engine" | "store">, call: Call) {
  const answer = await engine.answer(call);
  const text = await textOf(answer);
  const settled = await answer.settled;
  const recording = settled.outcome === "recorded" ? await store.read(settled.entry ?? "") : undefined;
  const kept = (part: "request" | "reply"): string => Buffer.from(recording?.[part].body ?? []).toString();
  return { ...settled, text, recording, keptRequest: kept("request"), keptReply: kept("reply") };
}

export async function* encode(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}
