import { expect, test } from "vitest";
import {
  chaosClient,
  faultsInOrder,
  fixedClient,
  functionClient,
  seededSurroundings,
  statusError,
  user,
  type ChatClient,
  type MockReply,
  type StreamEvent,
} from "../../../src/client/index.ts";

const HELLO = { messages: [user("hello")] };

async function eventsOf(client: ChatClient): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of client.stream(HELLO)) events.push(event);
  return events;
}

const GIVEN: MockReply = [
  { type: "thinking", text: "let me", signature: "S" },
  { type: "text", text: "so be it" },
  { type: "tool-call", id: "c", name: "f", arguments: '{"a": 1}' },
];

test("a mock's pieces are words of texts, thoughts, and arguments; names are in the first", async () => {
  const events = await eventsOf(fixedClient(GIVEN, { pieces: "words" }));

  expect(events.slice(1, -1)).toEqual([
    { type: "thinking", index: 0, text: "let", signature: "S" },
    { type: "thinking", index: 0, text: " me" },
    { type: "text", index: 1, text: "so" },
    { type: "text", index: 1, text: " be" },
    { type: "text", index: 1, text: " it" },
    { type: "tool-call", index: 2, id: "c", name: "f", arguments: '{"a":' },
    { type: "tool-call", index: 2, arguments: " 1}" },
  ]);
  expect(events[0]).toEqual({ type: "start", id: "mock-1", model: "mock" });
  expect(events.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
});

test.each<readonly [number | readonly number[] | undefined, readonly number[]]>([
  [undefined, []],
  [0, []],
  [3, [3, 3, 3]],
  [1, [1, 1, 1]],
  [
    [1, 0, 2, 9],
    [1, 2],
  ],
  [[5], [5]],
])("with delays of %j a stream waits %j ms before its three events", async (delayMs, slept) => {
  const surroundings = seededSurroundings(1);

  await eventsOf(fixedClient("hi", { surroundings, ...(delayMs !== undefined && { delayMs }) }));

  expect(surroundings.slept).toEqual(slept);
});

test("an answer that is a reply is sent unchanged, and a failing answer is the failure itself", async () => {
  const reply = await fixedClient(GIVEN).complete(HELLO);
  const failure = statusError(418, "tea");

  expect(
    await functionClient(() => ({ ...reply, id: "own", finishReason: "length" })).complete(HELLO),
  ).toEqual({
    ...reply,
    id: "own",
    finishReason: "length",
  });
  await expect(fixedClient(failure).complete(HELLO)).rejects.toBe(failure);
  await expect(functionClient(() => failure).complete(HELLO)).rejects.toBe(failure);
});

test("a client with faults closes the one inside of it, and has nothing to close when that has not", async () => {
  let closed = 0;
  const close = async (): Promise<void> => void (closed += 1);
  const plan = faultsInOrder([]);
  const inner = fixedClient("hi");

  await chaosClient({ ...inner, close }, { plan, surroundings: seededSurroundings(1) }).close?.();

  expect(closed).toBe(1);
  expect(chaosClient(inner, { plan })).not.toHaveProperty("close");
  expect(() => chaosClient(inner, { plan, sed: 1 } as never)).toThrow("sed");
});
