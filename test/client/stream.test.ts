import * as fc from "fast-check";
import { casesOf } from "../support/cases.ts";
import { expect, test } from "vitest";
import {
  assistant,
  collect,
  createMerger,
  replyEvents,
  type ChatReply,
  type Part,
  type PartPiece,
  type StreamEvent,
} from "../../src/client/index.ts";

async function* told(events: readonly StreamEvent[]): AsyncGenerator<StreamEvent, void, undefined> {
  yield* events;
}

const RUNS = casesOf({ quick: 60, long: 500 });
const text = fc.string({ unit: "grapheme", maxLength: 12 });
const part: fc.Arbitrary<Part> = fc.oneof(
  text.map((value) => ({ type: "text" as const, text: value })),
  fc
    .tuple(text, fc.option(fc.base64String({ minLength: 4 }), { nil: undefined }))
    .map(([value, signature]) => ({
      type: "thinking" as const,
      text: value,
      ...(signature && { signature }),
    })),
  fc.tuple(fc.uuid(), fc.constantFrom("search", "plus"), text).map(([id, name, value]) => ({
    type: "tool-call" as const,
    id,
    name,
    arguments: JSON.stringify({ value }),
  })),
  fc.constant({ type: "image" as const, source: { kind: "url" as const, url: "https://example.com/i.png" } }),
);

/** A piece cut at UTF-16 units, which providers do too: what belongs to the part as a whole comes at a random end. */
function cut(piece: PartPiece, points: readonly number[]): readonly PartPiece[] {
  if (piece.type !== "text" && piece.type !== "thinking" && piece.type !== "tool-call") return [piece];
  const whole = (piece.type === "tool-call" ? piece.arguments : piece.text) ?? "";
  const at = [...new Set([0, ...points.map((point) => point % (whole.length + 1)), whole.length])].sort(
    (a, b) => a - b,
  );
  const texts = at.slice(1).map((end, index) => whole.slice(at[index], end));
  if (texts.length === 0) return [piece];
  const { index } = piece;
  return texts.map((one, order): PartPiece => {
    if (piece.type === "tool-call")
      return { ...(order === 0 ? piece : { type: piece.type, index }), arguments: one };
    const { signature, ...bare } = piece;
    return {
      ...bare,
      text: one,
      ...(order === texts.length - 1 && signature !== undefined && { signature }),
    };
  });
}

test("any cut of the same stream, interleaved in any way, gives the same answer [X-05]", async () => {
  let runs = 0;
  const splits = fc.array(fc.nat(40), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(part, splits), { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(100), { minLength: 60, maxLength: 60 }),
      async (given, picks) => {
        const reply: ChatReply = {
          message: assistant(given.map(([one]) => one)),
          finishReason: "stop",
          id: "r",
        };
        const whole = replyEvents(reply);
        const queues = whole
          .filter((event): event is PartPiece => "index" in event)
          .map((piece, index) => [...cut(piece, given[index]?.[1] ?? [])]);
        const mixed: StreamEvent[] = [];
        for (let turn = 0; queues.some((queue) => queue.length > 0); turn += 1) {
          const open = queues.filter((queue) => queue.length > 0);
          const next = open[(picks[turn % picks.length] ?? 0) % open.length]?.shift();
          if (next !== undefined) mixed.push(next);
        }
        const events = [
          ...whole.filter(({ type }) => type === "start"),
          ...mixed,
          ...whole.filter(({ type }) => type === "finish"),
        ];

        const joined = await collect(told(events));

        runs += 1;
        expect(joined).toEqual(await collect(told(whole)));
        expect(joined.message).toEqual(reply.message);
      },
    ),
    { numRuns: RUNS, seed: 20_261_121 },
  );
  console.log(`▸ streams merged alike, cut and interleaved at random: ${runs} of ${RUNS}`);
});

test("messages handed out during a stream never change and are frozen [X-03]", () => {
  const merger = createMerger();
  merger.add({ type: "text", index: 0, text: "a" });
  const early = merger.message();
  const shown = JSON.stringify(early);

  merger.add({ type: "text", index: 0, text: "b" });

  expect(JSON.stringify(early)).toBe(shown);
  expect(() => Object.assign(early.parts[0] ?? {}, { text: "mine" })).toThrow(TypeError);
  expect(merger.message().parts).toEqual([{ type: "text", text: "ab" }]);
});

/** Pieces of a stream that say some of their part late, or never. */
test.each<readonly [pieces: readonly StreamEvent[], whole: object]>([
  [
    [
      { type: "tool-call", index: 0, name: "f" },
      { type: "tool-call", index: 0, id: "late", arguments: "{}" },
    ],
    { type: "tool-call", id: "late", name: "f", arguments: "{}" },
  ],
  [[{ type: "tool-call", index: 0, name: "f" }], { type: "tool-call", id: "", name: "f", arguments: "" }],
  [
    [
      { type: "text", index: 0, text: "a", extras: { x: 1 } },
      { type: "text", index: 0, text: "b", extras: { y: 2 } },
      { type: "text", index: 0, text: "c" },
    ],
    { type: "text", text: "abc", extras: { x: 1, y: 2 } },
  ],
])("the pieces %j become one part", async (pieces, whole) => {
  expect((await collect(told([...pieces, { type: "finish", reason: "stop" }]))).message.parts).toStrictEqual([
    whole,
  ]);
});
