import { expect, it } from "vitest";
import { createTape, KEPT_LIMIT_BYTES } from "../../../../src/core/answer/source/tape.ts";
import { manualClock } from "../../../support/an-engine.ts";

it("of an answer beyond 256 MiB nothing is kept or held back", () => {
  const tape = createTape({ framing: undefined, stream: undefined }, manualClock());
  const chunk = new Uint8Array(16 * 1_048_576);

  let out = 0;
  while (tape.sizeBytes <= KEPT_LIMIT_BYTES) out += tape.push(chunk).byteLength;

  expect(tape.sizeBytes).toBe(KEPT_LIMIT_BYTES + chunk.byteLength);
  expect(tape.body()).toHaveLength(0);
  expect(out + tape.held().byteLength).toBe(tape.sizeBytes);
});
