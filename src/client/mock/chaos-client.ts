import type { ChatClient } from "../chat-client.ts";
import { checkRequest } from "../check-request.ts";
import { completing } from "../collect.ts";
import { cancelled, chatError } from "../errors.ts";
import type { StreamEvent } from "../part-stream.ts";
import type { ChatRequest } from "../request.ts";
import { seededRandom, realSurroundings, type Surroundings } from "../surroundings.ts";
import type { Fault, FaultPlan } from "./faults.ts";

export interface ChaosOptions {
  readonly plan: FaultPlan;
  /** For the order that "reorder" gives. Default 0. */
  readonly seed?: number;
  readonly surroundings?: Surroundings;
}

/**
 * Any client, with faults. Whole answers suffer what streams do: a cut one fails as a connection that broke, one out of
 * order as an answer that cannot be read, unless the indices of its pieces put it right.
 */
export function chaosClient(inner: ChatClient, options: ChaosOptions): ChatClient {
  const { plan, seed = 0, surroundings = realSurroundings() } = options;
  const random = seededRandom(seed);
  let calls = 0;
  const stream = async function* (request: ChatRequest): AsyncGenerator<StreamEvent, void, undefined> {
    checkRequest(request);
    const planned = plan(++calls);
    const faults = planned === undefined ? [] : [planned].flat();
    const events = arranged(inner.stream(request), faults, random);
    let index = 0;
    for await (const event of events) {
      await delays(faults, index, { surroundings, signal: request.signal });
      failAt(faults, index, "before");
      if (faults.some((fault) => fault.kind === "cut" && index >= fault.after)) return;
      yield event;
      failAt(faults, index, "after");
      index += 1;
    }
    const late = faults.find((fault) => fault.kind === "error" && (fault.at ?? 0) >= index);
    if (late?.kind === "error") throw late.error;
  };
  return {
    provider: inner.provider,
    model: inner.model,
    stream,
    complete: completing(stream),
    ...(inner.close && { close: () => inner.close?.() ?? Promise.resolve() }),
  };
}

/** The events in the order in which they are to be told. */
async function* arranged(
  events: AsyncIterable<StreamEvent>,
  faults: readonly Fault[],
  random: () => number,
): AsyncGenerator<StreamEvent, void, undefined> {
  if (faults.some(({ kind }) => kind === "empty")) {
    yield { type: "start" };
    yield { type: "finish", reason: "stop" };
    return;
  }
  if (!faults.some(({ kind }) => kind === "reorder")) {
    yield* events;
    return;
  }
  const all: StreamEvent[] = [];
  for await (const event of events) all.push(event);
  // Drawn in turn, but never the order that it was.
  for (let left = all.length - 1; left > 0; left -= 1) {
    const other = Math.floor(random() * left);
    const [a, b] = [all[left], all[other]];
    if (a !== undefined && b !== undefined) [all[left], all[other]] = [b, a];
  }
  yield* all;
}

function failAt(faults: readonly Fault[], index: number, now: "before" | "after"): void {
  for (const fault of faults) {
    if (fault.kind !== "error" || (fault.at ?? 0) !== index) continue;
    if ((fault.when === "after") === (now === "after")) throw fault.error;
  }
}

async function delays(
  faults: readonly Fault[],
  index: number,
  { surroundings, signal }: { readonly surroundings: Surroundings; readonly signal: AbortSignal | undefined },
): Promise<void> {
  for (const fault of faults) {
    if (fault.kind !== "delay" || (fault.at ?? 0) !== index) continue;
    if (!(fault.ms >= 0))
      throw chatError("validation", `A delay of ${fault.ms} ms is none.`, { where: "fault.ms" });
    await surroundings.sleep(fault.ms, signal);
  }
  if (signal?.aborted === true) throw cancelled(signal.reason);
}
