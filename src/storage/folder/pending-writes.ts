import type { CassetteStore } from "../../core/cassette/store.ts";
import type { Pending } from "./pending.ts";

/**
 * A store whose writes are among what is pending: who ends in the middle of one leaves a temporary file behind.
 * `below` is an object without a prototype of its own.
 */
export function awaitedStore<T extends CassetteStore>(below: T, pending: Pending): T {
  return {
    ...below,
    save: (recording, number) => pending.add(below.save(recording, number)),
    replace: (entry, recording, since) => pending.add(below.replace(entry, recording, since)),
  };
}
