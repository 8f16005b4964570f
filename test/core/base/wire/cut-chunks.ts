import type { Cutter } from "../../../../src/core/base/wire/cutter.ts";

/** Cuts a body that arrives in chunks of these sizes, in turn. */
export function cutChunks(cutter: Cutter, body: Uint8Array, cuts: readonly number[]) {
  const pieces: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < body.byteLength; turn += 1) {
    const size = cuts[turn % cuts.length] ?? 1;
    pieces.push(...cutter.push(body.subarray(at, at + size)));
    at += size;
  }
  return { pieces, rest: cutter.rest() };
}
