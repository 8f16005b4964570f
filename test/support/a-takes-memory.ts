import { NOT_QUIET, type TakesMemory } from "../../src/core/cassette/store.ts";

/** A memory in which nothing is kept yet. */
export function aTakesMemory(): TakesMemory {
  return { takes: undefined, reply: undefined, quietAsOf: NOT_QUIET };
}
