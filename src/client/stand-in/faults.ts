import type { Answer, WireReply } from "../../core/call/call.ts";
import type { Clock } from "../../core/base/clock.ts";
import { CLIENT_LEFT } from "../../core/base/errors.ts";
import { isFailed, type PlannedFault, type Times } from "../../core/call/mocks.ts";
import { formatFault } from "../../core/config/read-faults.ts";
import { formatPlural } from "../../core/base/plural.ts";
import { giveBackNumber } from "../../core/answer/runs.ts";
import { createSettledAnswer } from "../../core/answer/source/recordings.ts";
import { chooseReplyFraming, type Exchange } from "../../core/match/read-request.ts";
import { cutBody } from "../../core/base/wire/framing.ts";
import { findContentType } from "../../core/base/wire/text.ts";
import { chatError } from "../errors.ts";
import { type Fault, withFaults } from "../mock/faults.ts";
import { seededRandom } from "../surroundings.ts";
import { createFailedReply, createFailedWire } from "./answer.ts";
import { createTurns } from "./call-match.ts";

/** Returns the faults of the next call: at most one that breaks it, and any number that slow it down. */
export type FaultTurns = (exchange: Exchange) => readonly PlannedFault[];

/** Makes the turns of a plan. Random faults are the same in all runs with the same calls in the same order. */
export function createFaultTurns(plan: readonly PlannedFault[]): FaultTurns {
  const random = seededRandom(0);
  const isHit = ({ probability }: PlannedFault): boolean =>
    probability === undefined || random() < probability;
  const breaking = createTurns(
    plan.filter((fault) => !isSlow(fault)),
    isHit,
  );
  const slowing = plan
    .filter(isSlow)
    .map((fault) => createTurns([{ ...fault, times: fault.times ?? ("always" as Times) }], isHit));
  return (exchange) => [breaking, ...slowing].flatMap((turns) => turns.next(exchange)?.entry ?? []);
}

const isSlow = (fault: PlannedFault): boolean => "firstTokenMs" in fault || "tokensPerSecond" in fault;

/** Answers a call with its faults, which are applied to the answer of `inner`. */
export async function createFaultyAnswer(
  exchange: Exchange,
  faults: readonly PlannedFault[],
  { inner, clock }: { readonly inner: () => Promise<Answer | undefined>; readonly clock: Clock },
): Promise<Answer | undefined> {
  const failed = faults.find(isFailed);
  if (failed !== undefined) {
    // The next identical call gets the first take.
    giveBackNumber(exchange.call.run.counts, exchange);
    const { status, message = `Tapedeck fails this call on purpose: ${status}.`, retryAfter } = failed;
    const retryAfterMs = retryAfter === undefined ? undefined : retryAfter * 1_000;
    return createSettledAnswer(
      createFailedWire(createFailedReply(exchange, { status, message, retryAfterMs })),
      {
        outcome: "defaulted",
        reason: `This call failed on purpose: ${status}.`,
        fault: String(status),
      },
    );
  }
  const answer = await inner();
  const planned = faults.flatMap(clientFaults);
  if (answer === undefined) return waitUntilClientLeaves(exchange, faults, clock);
  if (planned.length === 0) return answer;
  // A retry after a broken answer gets the same take.
  if (faults.some(isBreaking)) giveBackNumber(exchange.call.run.counts, exchange);
  const settled = await answer.settled;
  const fault = formatFaults(faults);
  const reason = [settled.reason, ...new Set(faults.map(faultText))].filter(Boolean).join(" ");
  return createSettledAnswer(brokenReply(answer.reply, exchange, planned, clock), {
    ...settled,
    reason,
    fault,
  });
}

/** A slow call without a recording is no miss if its client cancels it or times out: no reply of such a call is recorded. */
async function waitUntilClientLeaves(
  exchange: Exchange,
  faults: readonly PlannedFault[],
  clock: Clock,
): Promise<Answer | undefined> {
  const { signal, run } = exchange.call;
  const ms = Math.max(0, ...faults.map((fault) => ("firstTokenMs" in fault && fault.firstTokenMs) || 0));
  if (ms > 0) await clock.wait(ms, signal);
  if (ms === 0 || !signal.aborted) return undefined;
  giveBackNumber(run.counts, exchange);
  const reply = createFailedReply(exchange, { status: CLIENT_LEFT, message: SLOWED });
  return createSettledAnswer(createFailedWire(reply), {
    outcome: "defaulted",
    reason: SLOWED,
    fault: formatFaults(faults),
  });
}

const formatFaults = (faults: readonly PlannedFault[]): string =>
  faults
    .map(formatFault)
    .filter((text) => text !== "ok")
    .join(" ");

const isBreaking = (fault: PlannedFault): boolean => "cutAfter" in fault || "disconnectAfter" in fault;

/** Delay before a connection breaks, so that the data sent before arrives. */
const ARRIVAL_MS = 20;

/** Converts a planned fault to faults of the client core. */
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

const SLOWED = "It was slowed down on purpose.";

function faultText(fault: PlannedFault): string {
  if ("cutAfter" in fault) return `It was cut off after ${formatPlural(fault.cutAfter, "event")} on purpose.`;
  if ("disconnectAfter" in fault)
    return `Its connection was broken after ${formatPlural(fault.disconnectAfter, "event")} on purpose.`;
  return isSlow(fault) ? SLOWED : "";
}

function brokenReply(
  reply: WireReply,
  exchange: Exchange,
  faults: readonly Fault[],
  clock: Clock,
): WireReply {
  const { contentType: type } = findContentType(reply.headers);
  const isStream = chooseReplyFraming(exchange, type) !== undefined;
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
  if (body instanceof Uint8Array) yield* cutBody(body, chooseReplyFraming(exchange, type));
  else yield* body;
}

/** Splits a reply without a stream in two pieces, between which it can break. */
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
