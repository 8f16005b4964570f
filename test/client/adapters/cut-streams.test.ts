import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collect } from "../../../src/client/merge-pieces.ts";
import { user } from "../../../src/client/make-message.ts";
import { textOf, toolCallsOf } from "../../../src/client/message.ts";
import type { ChatReply } from "../../../src/client/reply.ts";
import { casesOf } from "../../support/cases.ts";
import { CLIENTS, fetchGiving, type ClientName } from "./clients.ts";
import { cutWire, type Cutting, type ReplyParts } from "./cut-wire.ts";

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

describe.each(Object.keys(CLIENTS) as ClientName[])("a stream that %s reads", (name) => {
  test("gives the same message however it is cut, and however its parallel tool calls interleave", async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        said,
        fc.array(fc.nat(997), { minLength: 40, maxLength: 40 }),
        fc.integer({ min: 1, max: 400 }),
        async (given, picks, bytes) => {
          const whole = await read(name, given, UNCUT, 1_000_000);

          const cut = await read(name, given, cuttingBy(picks), bytes);

          expect(cut).toEqual(whole);
          expect(shown(cut)).toEqual(given);
          runs += 1;
        },
      ),
      { numRuns: RUNS, seed: 20_261_121 },
    );
    console.log(`▸ ${name}: ${runs} of ${RUNS} streams give the same message, cut and interleaved at random`);
  });
});

function read(name: ClientName, given: ReplyParts, cutting: Cutting, bytes: number): Promise<ChatReply> {
  const { contentType, body } = cutWire(name, given, cutting);
  const reply = { status: 200, contentType, body: new TextEncoder().encode(body) };
  const client = CLIENTS[name](fetchGiving(reply, {}, bytes));
  return collect(client.stream({ messages: [user("Hi")] }));
}

function shown({ message }: ChatReply): ReplyParts {
  const thoughts = message.parts.flatMap((part) => (part.type === "thinking" ? [part.text] : []));
  return {
    thinking: thoughts.join(""),
    text: textOf(message),
    calls: toolCallsOf(message).map(({ name, arguments: written }) => ({
      name,
      args: JSON.parse(written) as Readonly<Record<string, string>>,
    })),
  };
}
