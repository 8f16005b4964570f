import { isDeepStrictEqual } from "node:util";
import type { Differential } from "./system.ts";

/** The seed of the first result that is kept. */
export const KEPT_SEED = 20_261_123;

/** What an original gave for the first seeds, one result a line. */
export function keptFile({ program }: Differential): string {
  return `test/fixtures/originals/${program.replace("_original.py", "")}.ndjson`;
}

interface Compared {
  /** Undefined where both are equal. */
  readonly results?: { readonly ours: unknown; readonly theirs: unknown };
  /** Why a difference is meant. */
  readonly why?: string | undefined;
}

/** Ours beside what an original gave. */
export async function comparedWith(system: Differential, input: unknown, given: unknown): Promise<Compared> {
  const results = {
    ours: asJson(await system.ours(input)),
    theirs: asJson(system.theirs?.(given) ?? given),
  };
  if (isDeepStrictEqual(results.ours, results.theirs)) return {};
  return { results, why: system.documented?.(input, results) };
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? "null");
}
