import { expectNameIn, expectObject } from "../check-options.ts";
import { cancelled, chatError, invalid } from "../errors.ts";
import { showValue } from "../json/plain.ts";
import type { Surroundings } from "../surroundings.ts";

/** A fault of one call. Events count from 0. */
export type Fault =
  /** Waits before the event `at`, or before the first one. */
  | { readonly kind: "delay"; readonly ms: number; readonly at?: number }
  /** Fails before, instead of, or after the event `at` (default 0, before). */
  | {
      readonly kind: "error";
      readonly error: Error;
      readonly at?: number;
      readonly when?: "before" | "instead" | "after";
    }
  /** Ends after this number of events, without a finish event. */
  | { readonly kind: "cut"; readonly after: number }
  /** Waits before each event except the first. */
  | { readonly kind: "pace"; readonly ms: number };

/** Required member by kind. */
const KINDS: Readonly<Record<Fault["kind"], "ms" | "error" | "after">> = {
  delay: "ms",
  error: "error",
  cut: "after",
  pace: "ms",
};

/** Returns the faults of one call as a list. @throws ChatError "validation" for an invalid fault */
export function listFaults(planned: Fault | readonly Fault[] | undefined, where: string): readonly Fault[] {
  const faults = planned === undefined ? [] : [planned].flat();
  for (const fault of faults) expectFault(fault, where);
  return faults;
}

function expectFault(fault: Fault, where: string): void {
  expectObject(fault, where);
  expectNameIn(KINDS, fault.kind, `${where}.kind`);
  const member = KINDS[fault.kind];
  const { [member]: value }: Readonly<Record<string, unknown>> = { ...fault };
  if (member === "error") expectObject(value, `${where}.error`);
  else if (typeof value !== "number")
    throw invalid(`${where}.${member}`, `a number is expected, got ${showValue(value)}`);
}

/** Function for waiting, and the signal that ends it. */
interface WaitOptions {
  readonly sleep: Surroundings["sleep"];
  readonly signal: AbortSignal | undefined;
}

/** Adds faults to a stream of events. @throws the error of a fault, and ChatError "cancelled" */
export async function* withFaults<T>(
  events: AsyncIterable<T> | Iterable<T>,
  faults: readonly Fault[],
  waiting: WaitOptions,
): AsyncGenerator<T, void, undefined> {
  let index = 0;
  for await (const event of events) {
    await delays(faults, index, waiting);
    failAt(faults, index, "before");
    if (faults.some((fault) => fault.kind === "cut" && index >= fault.after)) return;
    yield event;
    failAt(faults, index, "after");
    index += 1;
  }
  const late = faults.find((fault) => fault.kind === "error" && (fault.at ?? 0) >= index);
  if (late?.kind === "error") throw late.error;
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
  { sleep, signal }: WaitOptions,
): Promise<void> {
  for (const fault of faults) {
    const isDue = fault.kind === "pace" ? index > 0 : fault.kind === "delay" && (fault.at ?? 0) === index;
    if (!isDue || !("ms" in fault)) continue;
    if (!(fault.ms >= 0))
      throw chatError("validation", `A delay cannot be ${fault.ms} ms.`, { where: "fault.ms" });
    await sleep(fault.ms, signal);
  }
  if (signal?.aborted === true) throw cancelled(signal.reason);
}
