import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Projection } from "../../../src/core/protocol/base/protocol.ts";
import { casesOf } from "../../support/cases.ts";
import { operationAt } from "../../support/wire-fixtures.ts";
import { cutWire, type Cutting, type ReplyParts, WIRES, type WireName } from "./cut-wire.ts";

const RUNS = casesOf({ quick: 8, long: 60 });

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 16 });
const args = fc.dictionary(fc.constantFrom("q", "city", "näme", "a b"), text, { minKeys: 1, maxKeys: 3 });
const said: fc.Arbitrary<ReplyParts> = fc.record({
  thinking: text,
  text,
  calls: fc.array(fc.record({ name: fc.constantFrom("search", "plus", "f"), args }), {
    minLength: 1,
    maxLength: 4,
  }),
});

/** Cuts at UTF-16 units, which providers do too, also where nothing is between two cuts; the picks repeat. */
function cuttingBy(picks: readonly number[]): Cutting {
  let at = 0;
  const pick = (below: number): number => (picks[at++ % picks.length] ?? 0) % below;
  return {
    pieces(whole) {
      const cuts = Array.from({ length: pick(6) }, () => pick(whole.length + 1)).sort((a, b) => a - b);
      return [...cuts, whole.length].map((end, index) => whole.slice(cuts[index - 1] ?? 0, end));
    },
    mix(queues) {
      const left = queues.map((queue) => [...queue]);
      const mixed = [];
      for (let open = left; (open = open.filter((queue) => queue.length > 0)).length > 0;) {
        const [next] = open[pick(open.length)]?.splice(0, 1) ?? [];
        if (next !== undefined) mixed.push(next);
      }
      return mixed;
    },
  };
}

const UNCUT: Cutting = { pieces: (whole) => [whole], mix: (queues) => queues.flat() };

describe.each(Object.keys(WIRES) as WireName[])("a stream of %s", (name) => {
  test("gives the same message however it is cut, and however its parallel tool calls interleave", () => {
    let runs = 0;
    fc.assert(
      fc.property(said, fc.array(fc.nat(997), { minLength: 40, maxLength: 40 }), (given, picks) => {
        const { events: _one, ...whole } = read(name, given, UNCUT);

        const { events: _many, ...cut } = read(name, given, cuttingBy(picks));

        expect(cut).toEqual(whole);
        expect(shown(cut)).toEqual(given);
        runs += 1;
      }),
      { numRuns: RUNS, seed: 20_261_121 },
    );
    console.log(`▸ ${name}: ${runs} of ${RUNS} streams give the same message, cut and interleaved at random`);
  });
});

function read(name: WireName, given: ReplyParts, cutting: Cutting): Projection {
  const { contentType, body } = cutWire(name, given, cutting);
  return operationAt(...WIRES[name]).protocol.project({
    status: 200,
    contentType,
    body: new TextEncoder().encode(body),
  });
}

function shown({ messages: [message] }: Projection): ReplyParts {
  const parts = message?.parts ?? [];
  const texts = (type: "text" | "thinking"): string =>
    parts.flatMap((part) => (part.type === type ? [part.text] : [])).join("");
  return {
    thinking: texts("thinking"),
    text: texts("text"),
    calls: parts.flatMap((part) =>
      part.type === "tool-call"
        ? [{ name: part.name, args: JSON.parse(part.arguments) as Readonly<Record<string, string>> }]
        : [],
    ),
  };
}
