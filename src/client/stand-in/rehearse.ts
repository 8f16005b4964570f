import type { MadeUpReply } from "../../core/call.ts";
import type { LenientAnswer } from "../../core/config/config.ts";
import { explain, isTapedeckError } from "../../core/errors.ts";
import type { Exchange } from "../../core/source/source.ts";
import { mockOf } from "./lenient.ts";

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
