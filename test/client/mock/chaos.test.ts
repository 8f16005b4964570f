import { expect, test } from "vitest";
import {
  chaosClient,
  chatError,
  disconnected,
  faultsInOrder,
  fixedClient,
  rateLimited,
  seededRandom,
  seededSurroundings,
  unavailable,
  user,
  type Fault,
  type StreamEvent,
} from "../../../src/client/index.ts";

const hello = { messages: [user("hello")] };
const inner = fixedClient([
  { type: "text", text: "a" },
  { type: "text", text: "b" },
]);

function withFaults(...faults: readonly (Fault | undefined)[]): ReturnType<typeof chaosClient> {
  return chaosClient(inner, { plan: faultsInOrder(faults) });
}

async function read(stream: AsyncIterable<StreamEvent>): Promise<{ seen: string[]; error: unknown }> {
  const seen: string[] = [];
  try {
    for await (const event of stream) seen.push(event.type === "text" ? event.text : event.type);
    return { seen, error: undefined };
  } catch (error) {
    return { seen, error };
  }
}

const gone = chatError("connection", "gone");

test.each<[string, Fault, readonly string[]]>([
  ["before the n-th event", { kind: "error", error: gone, at: 2 }, ["start", "a"]],
  ["instead of it", { kind: "error", error: gone, at: 2, when: "instead" }, ["start", "a"]],
  ["after it", { kind: "error", error: gone, at: 2, when: "after" }, ["start", "a", "b"]],
  ["at the end", { kind: "error", error: gone, at: 99 }, ["start", "a", "b", "finish"]],
])("an error occurs %s", async (_, fault, seen) => {
  const stream = withFaults(fault).stream(hello);

  expect(await read(stream)).toEqual({ seen, error: gone });
});

test("a cut stream just ends, and a whole answer that was cut is a broken connection", async () => {
  const client = withFaults({ kind: "cut", after: 2 }, { kind: "cut", after: 2 });

  expect(await read(client.stream(hello))).toEqual({ seen: ["start", "a"], error: undefined });
  await expect(client.complete(hello)).rejects.toMatchObject({ kind: "connection", retryable: true });
});

test("a rate limit has the time to wait, and other failures have their kind", async () => {
  const client = withFaults(rateLimited(1500), unavailable(), disconnected(), undefined);

  await expect(client.complete(hello)).rejects.toMatchObject({
    kind: "rate-limit",
    message: "Rate limit exceeded",
    status: 429,
    retryAfterMs: 1500,
  });
  await expect(client.complete(hello)).rejects.toMatchObject({
    kind: "status",
    status: 503,
    retryable: true,
  });
  await expect(client.complete(hello)).rejects.toMatchObject({ kind: "connection" });
  expect((await client.complete(hello)).finishReason).toBe("stop");
});

test("delays are slept, and several faults combine", async () => {
  const surroundings = seededSurroundings(1);
  const faults: readonly Fault[] = [
    { kind: "delay", ms: 40 },
    { kind: "delay", ms: 2, at: 1 },
    { kind: "error", error: gone, at: 2 },
  ];
  const client = chaosClient(inner, { plan: () => faults, surroundings });

  expect((await read(client.stream(hello))).error).toBe(gone);
  expect(surroundings.slept).toEqual([40, 2]);
});

test("chance is seeded: the same faults in the same order [X-04]", async () => {
  const outcomes = async (seed: number): Promise<string> => {
    const random = seededRandom(seed);
    const faults: readonly Fault[] = [unavailable(), rateLimited(1), disconnected()];
    const client = chaosClient(inner, { plan: () => faults[Math.floor(random() * 6)] });
    let line = "";
    for (let call = 0; call < 30; call += 1)
      line += await client.complete(hello).then(
        ({ message }) => String(message.parts.length),
        ({ kind }: { kind: string }) => kind.charAt(0),
      );
    return line;
  };

  const first = await outcomes(1);

  expect(await outcomes(1)).toBe(first);
  expect(await outcomes(2)).not.toBe(first);
  expect(new Set(first)).toEqual(new Set(["2", "c", "s", "r"]));
});

test("faults that make no sense are refused", () => {
  expect(() => rateLimited(-1)).toThrow("retryAfterMs");
});

test.each([
  ["a number", 429, /^faults\[0\]: an object is expected, got number/],
  [
    "a kind that there is not",
    { kind: "status" },
    /^faults\[0\]\.kind: "status" is none of delay, error, cut/,
  ],
  ["an error without one", { kind: "error" }, /^faults\[0\]\.error: an object is expected/],
  ["a cut without a place", { kind: "cut" }, /^faults\[0\]\.after: a number is expected, got undefined/],
  ["a wait of a text", { kind: "delay", ms: "1" }, /^faults\[0\]\.ms: a number is expected, got "1"/],
])("what is no fault is refused when it is planned: %s", async (_what, fault, message) => {
  const wrong = fault as Fault;
  const planned = chaosClient(inner, { plan: () => [wrong] });

  expect(() => faultsInOrder([wrong])).toThrow(message);
  expect(() => faultsInOrder([[wrong]])).toThrow(message);
  await expect(planned.complete(hello)).rejects.toThrow(/^plan\(1\)/);
});
