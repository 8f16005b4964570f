import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Differential } from "./system.ts";

/** A random input, and what the original made of it. */
export interface StoredResult {
  readonly input: unknown;
  readonly gave: unknown;
}

const FOLDER = resolve(import.meta.dirname, "../fixtures/originals");

/** Returns the stored results of an original: for a hundred inputs, and for those that detect a change that these do not. */
export function keptResults({ results }: Differential): readonly StoredResult[] {
  const lines = readFileSync(join(FOLDER, results), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as StoredResult);
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
