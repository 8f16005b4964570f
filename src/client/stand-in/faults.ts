import type { Answer, WireReply } from "../../core/call/call.ts";
import type { Clock } from "../../core/base/clock.ts";
import { isFailed, type PlannedFault, type Times } from "../../core/call/mocks.ts";
import { faultInShort } from "../../core/config/read-faults.ts";
import { plural } from "../../core/base/plural.ts";
import { giveBackNumber } from "../../core/answer/runs.ts";
import { settledAnswer } from "../../core/answer/source/recordings.ts";
import { framingFor, type Exchange } from "../../core/match/read-request.ts";
import { cutBody } from "../../core/base/wire/framing.ts";
import { contentTypeOf } from "../../core/base/wire/text.ts";
import { chatError } from "../errors.ts";
import { type Fault, withFaults } from "../mock/faults.ts";
import { seededRandom } from "../surroundings.ts";
import { failedReply, failedWire } from "./answer.ts";
import { turnsOf } from "./call-match.ts";

/** What goes wrong with the next call: at most one thing breaks it, and any number slows it down. */
export type FaultTurns = (exchange: Exchange) => readonly PlannedFault[];

/** The faults of a plan, call by call. Chance is the same in every run that makes the same calls in the same order. */
export function faultTurns(plan: readonly PlannedFault[]): FaultTurns {
  const random = seededRandom(0);
  const isHit = ({ probability }: PlannedFault): boolean =>
    probability === undefined || random() < probability;
  const breaking = turnsOf(
    plan.filter((fault) => !isSlow(fault)),
    isHit,
  );
  const slowing = plan
    .filter(isSlow)
    .map((fault) => turnsOf([{ ...fault, times: fault.times ?? ("always" as Times) }], isHit));
  return (exchange) => [breaking, ...slowing].flatMap((turns) => turns.next(exchange)?.entry ?? []);
}

const isSlow = (fault: PlannedFault): boolean => "firstTokenMs" in fault || "tokensPerSecond" in fault;

/** Answers a call as its faults want it; `inner` gives the answer that they break. */
export async function faultyAnswer(
  exchange: Exchange,
  faults: readonly PlannedFault[],
  { inner, clock }: { readonly inner: () => Promise<Answer | undefined>; readonly clock: Clock },
): Promise<Answer | undefined> {
  const failed = faults.find(isFailed);
  if (failed !== undefined) {
    // The next identical call is the first that is answered.
    giveBackNumber(exchange.call.run.counts, exchange);
    const { status, message = `Tapedeck fails this call on purpose: ${status}.`, retryAfter } = failed;
    const retryAfterMs = retryAfter === undefined ? undefined : retryAfter * 1_000;
    return settledAnswer(failedWire(failedReply(exchange, { status, message, retryAfterMs })), {
      outcome: "defaulted",
      reason: `This call failed on purpose: ${status}.`,
      fault: String(status),
    });
  }
  const answer = await inner();
  const planned = faults.flatMap(clientFaults);
  if (answer === undefined || planned.length === 0) return answer;
  // Whoever calls again after a broken answer gets this one whole.
  if (faults.some(isBreaking)) giveBackNumber(exchange.call.run.counts, exchange);
  const settled = await answer.settled;
  const fault = faults
    .map(faultInShort)
    .filter((text) => text !== "ok")
    .join(" ");
  const reason = [settled.reason, ...new Set(faults.map(faultText))].filter(Boolean).join(" ");
  return settledAnswer(brokenReply(answer.reply, exchange, planned, clock), { ...settled, reason, fault });
}

const isBreaking = (fault: PlannedFault): boolean => "cutAfter" in fault || "disconnectAfter" in fault;

/** Until what was sent before a connection breaks has left: a broken one takes what waits in it along. */
const ARRIVAL_MS = 20;

/** What a planned fault is to the mock client core. */
function clientFaults(fault: PlannedFault): readonly Fault[] {
  if ("cutAfter" in fault) return [{ kind: "cut", after: fault.cutAfter }];
  if ("disconnectAfter" in fault) {
    const at = fault.disconnectAfter;
    const error = chatError("connection", "The connection was broken on purpose.");
    return [
      { kind: "delay", ms: ARRIVAL_MS, at },
      { kind: "error", at, error },
    ];
  }
  if (!("firstTokenMs" in fault || "tokensPerSecond" in fault)) return [];
  const { firstTokenMs, tokensPerSecond } = fault;
  return [
    ...(firstTokenMs === undefined ? [] : [{ kind: "delay" as const, ms: firstTokenMs }]),
    ...(tokensPerSecond === undefined ? [] : [{ kind: "pace" as const, ms: 1_000 / tokensPerSecond }]),
  ];
}

function faultText(fault: PlannedFault): string {
  if ("cutAfter" in fault) return `It was cut off after ${plural(fault.cutAfter, "event")} on purpose.`;
  if ("disconnectAfter" in fault)
    return `Its connection was broken after ${plural(fault.disconnectAfter, "event")} on purpose.`;
  return isSlow(fault) ? "It was slowed down on purpose." : "";
}

function brokenReply(
  reply: WireReply,
  exchange: Exchange,
  faults: readonly Fault[],
  clock: Clock,
): WireReply {
  const { contentType: type } = contentTypeOf(reply.headers);
  const isStream = framingFor(exchange, type) !== undefined;
  const waiting = {
    sleep: (ms: number, signal?: AbortSignal) => clock.wait(ms, signal),
    signal: exchange.call.signal,
  };
  const events = isStream ? eventsOf(reply, exchange, type) : halvesOf(reply);
  return { ...reply, body: withFaults(events, isStream ? faults : faults.map(inTheMiddle), waiting) };
}

async function* eventsOf(
  { body }: WireReply,
  exchange: Exchange,
  type: string | undefined,
): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield* cutBody(body, framingFor(exchange, type));
  else yield* body;
}

/** A reply that is not streamed, in two pieces: what breaks it does so between them. */
async function* halvesOf({ body }: WireReply): AsyncGenerator<Uint8Array> {
  if (!(body instanceof Uint8Array)) {
    yield* body;
    return;
  }
  const middle = Math.floor(body.length / 2);
  yield body.subarray(0, middle);
  yield body.subarray(middle);
}

function inTheMiddle(fault: Fault): Fault {
  if (fault.kind === "cut") return { ...fault, after: Math.min(fault.after, 1) };
  if (fault.kind === "error" || fault.kind === "delay") return { ...fault, at: Math.min(fault.at ?? 0, 1) };
  return fault.kind === "pace" ? { kind: "delay", ms: 0 } : fault;
}
