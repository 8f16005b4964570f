import { expect, test } from "vitest";
import type { Answer } from "../../../src/core/call/call.ts";
import { streamAnswerEvents } from "../../../src/client/mock/client-protocol.ts";
import { failureOf } from "../bad-input/cells.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** An engine's answer with this body, whole or in these pieces. */
function answer(
  body: string | readonly Uint8Array[],
  given: Partial<Answer & { status: number }> = {},
): Answer {
  const { status = 200, outcome = "replayed", entry } = given;
  async function* pieces(list: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
    yield* list;
  }
  return {
    outcome,
    reply: { status, headers: [], body: typeof body === "string" ? bytes(body) : pieces(body) },
    settled: Promise.resolve({ outcome }),
    ...(entry !== undefined && { entry }),
  };
}

async function read(given: Answer): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of streamAnswerEvents(given)) events.push(event);
  return events;
}

const A = { type: "text", index: 0, text: "é😀" };
const B = { type: "finish", reason: "stop" };
const LINES = `${JSON.stringify(A)}\n\n${JSON.stringify(B)}`;

test("recorded events are read however their bytes are cut, the last line without its end", async () => {
  const all = bytes(LINES);
  const single = Array.from(all, (byte) => Uint8Array.of(byte));

  expect(await read(answer(LINES))).toEqual([A, B]);
  expect(await read(answer(`${LINES}\n`))).toEqual([A, B]);
  expect(await read(answer(single))).toEqual([A, B]);
  expect(await read(answer(JSON.stringify({ events: [A, B] })))).toEqual([A, B]);
  expect(await read(answer(""))).toEqual([]);
});

test.each(["not JSON", "5", "{}", '{"type": 5}', '{"events": [{}]}'])(
  "a line %j is no event, and its recording is named",
  async (line) => {
    const entry = "chat/a.json";

    expect(await failureOf(() => read(answer(`${JSON.stringify(A)}\n${line}`, { entry })))).toEqual({
      kind: "validation",
      where: entry,
      message: `${entry}: a line is not an event`,
    });
    await expect(read(answer(line))).rejects.toMatchObject({
      where: "the reply",
      hint: "Correct the recording, or record it again.",
    });
  },
);

test.each<readonly [body: string, message: string]>([
  [JSON.stringify({ error: { message: "not é recorded" } }), "not é recorded"],
  [JSON.stringify({ error: { message: 5 } }), '{"error":{"message":5}}'],
  [JSON.stringify({ error: "plain" }), '{"error":"plain"}'],
  ["just words", "just words"],
])("a failure %s keeps its text, and a miss is reported as not recorded", async (body, message) => {
  const pieces = Array.from(bytes(body), (byte) => Uint8Array.of(byte));

  expect(await failureOf(() => read(answer(pieces, { status: 409, outcome: "miss" })))).toMatchObject({
    kind: "not-recorded",
    message,
  });
  expect(await failureOf(() => read(answer(body, { status: 500 })))).toMatchObject({
    kind: "unknown",
    message,
  });
});
