import { expect, test } from "vitest";
import {
  chaosClient,
  chatError,
  collect,
  disconnected,
  faultsInOrder,
  fixedClient,
  functionClient,
  rateLimited,
  RETRY_POLICIES,
  retrying,
  scriptedClient,
  seededSurroundings,
  statusError,
  textOf,
  user,
  type ChatErrorKind,
  type RetryPolicyName,
} from "../../src/client/index.ts";

const hello = { messages: [user("hello")] };

test("what may pass is tried again, and the answer is the last one's", async () => {
  const surroundings = seededSurroundings(1);
  const heard: string[] = [];
  const inner = scriptedClient([statusError(503, "down"), chatError("connection", "gone"), "fine"]);
  const client = retrying(inner, "standard", {
    surroundings,
    onRetry: ({ kind }, failed) => heard.push(`${kind} ${failed}`),
  });

  expect(textOf((await client.complete(hello)).message)).toBe("fine");
  expect(heard).toEqual(["status 1", "connection 2"]);
  expect(surroundings.slept).toHaveLength(2);
});

/** Which failures each policy tries again. */
const TAKEN_UP: readonly (readonly [
  policy: RetryPolicyName,
  tries: number,
  kinds: readonly ChatErrorKind[],
])[] = [
  ["standard", 3, ["connection", "timeout", "rate-limit", "status"]],
  ["metagpt", 6, ["connection", "timeout"]],
  ["openmanus", 6, ["connection", "timeout", "rate-limit", "status"]],
  ["openmanusWithEmpty", 6, ["connection", "timeout", "rate-limit", "status", "empty"]],
  ["miroflowOpenAI", 10, ["connection", "timeout", "rate-limit", "status"]],
  ["miroflowAnthropic", 5, ["connection", "timeout", "rate-limit", "status"]],
  ["agentscope", 1, []],
];
const KINDS =
  "validation not-recorded token-limit connection timeout status rate-limit authentication empty unknown".split(
    " ",
  ) as readonly ChatErrorKind[];

test.each(TAKEN_UP)(
  "the policy %s tries %i times, and only what it should [X-02]",
  async (name, tries, kinds) => {
    for (const kind of KINDS) {
      const inner = functionClient(() => chatError(kind, "no", kind === "status" ? { status: 500 } : {}));
      const client = retrying(inner, name, { surroundings: seededSurroundings(1) });

      await expect(client.complete(hello)).rejects.toMatchObject({ kind });
      expect([kind, inner.calls.length]).toEqual([kind, kinds.includes(kind) ? tries : 1]);
    }
  },
);

test("waits are drawn from 1 s up to 1, 2, 4, 8, 16 s, and the same seed draws the same [X-04]", async () => {
  const waits = async (seed: number): Promise<readonly number[]> => {
    const surroundings = seededSurroundings(seed);
    const inner = functionClient(() => chatError("timeout", "slow"));
    await retrying(inner, "metagpt", { surroundings })
      .complete(hello)
      .catch(() => undefined);
    return surroundings.slept;
  };

  const slept = await waits(4);

  expect(slept).toEqual(await waits(4));
  expect(slept).not.toEqual(await waits(5));
  for (const [index, most] of [1000, 2000, 4000, 8000, 16_000].entries()) {
    expect(slept[index]).toBeGreaterThanOrEqual(1000);
    expect(slept[index]).toBeLessThanOrEqual(most);
  }
  expect(RETRY_POLICIES.metagpt.waitMs(20, () => 0.9999)).toBeLessThanOrEqual(60_000);
  expect([1, 2].map((failed) => RETRY_POLICIES.standard.waitMs(failed, () => 1))).toEqual([500, 1000]);
});

test("a retry waits as long as the provider asks", async () => {
  const surroundings = seededSurroundings(1);
  const inner = chaosClient(fixedClient("fine"), { plan: faultsInOrder([rateLimited(45_000)]) });

  await retrying(inner, "standard", { surroundings }).complete(hello);

  expect(surroundings.slept).toEqual([45_000]);
});

test("no try begins that would have to wait beyond the time for all", async () => {
  const surroundings = seededSurroundings(1);
  const inner = functionClient(() => statusError(503, "down"));
  const policy = { tries: 10, waitMs: () => 30, retries: () => true, totalMs: 100 };
  await surroundings.sleep(500);

  await expect(retrying(inner, policy, { surroundings }).complete(hello)).rejects.toMatchObject({ tries: 4 });
  expect(surroundings.slept).toEqual([500, 30, 30, 30]);
  const exact = retrying(inner, { ...policy, totalMs: 60 }, { surroundings });
  await expect(exact.complete(hello)).rejects.toMatchObject({ tries: 2 });
});

test("a stream is begun again while nothing of it was handed on, and not after", async () => {
  const surroundings = seededSurroundings(1);
  const early = chaosClient(fixedClient("fine"), { plan: faultsInOrder([disconnected(0)]) });
  const late = chaosClient(fixedClient("fine"), { plan: faultsInOrder([disconnected(1)]) });

  expect(textOf((await collect(retrying(early, "standard", { surroundings }).stream(hello))).message)).toBe(
    "fine",
  );
  await expect(collect(retrying(late, "standard", { surroundings }).stream(hello))).rejects.toMatchObject({
    kind: "connection",
    tries: 1,
  });
  const both = chaosClient(fixedClient("fine"), { plan: faultsInOrder([disconnected(0), disconnected(1)]) });
  await expect(collect(retrying(both, "standard", { surroundings }).stream(hello))).rejects.toMatchObject({
    tries: 2,
  });
});

test("a cancellation ends the waiting", async () => {
  const controller = new AbortController();
  const inner = functionClient(() => statusError(503, "down"));
  const client = retrying(
    inner,
    { tries: 5, waitMs: () => 60_000, retries: () => true },
    { onRetry: () => controller.abort() },
  );

  await expect(client.complete({ ...hello, signal: controller.signal })).rejects.toMatchObject({
    kind: "cancelled",
  });
  expect(inner.calls).toHaveLength(1);
});

test("policies and limits that make no sense are refused", () => {
  const inner = fixedClient("");

  expect(() => retrying(inner, { tries: 0, waitMs: () => 0, retries: () => true })).toThrow("policy.tries");
  expect(() => retrying(inner, "metagbt" as RetryPolicyName)).toThrow(
    '"metagbt" is none of standard, metagpt',
  );
  expect(() => retrying(inner, { tries: 1.5, waitMs: () => 0, retries: () => true })).toThrow("got 1.5");
  expect(() => retrying(inner, { tries: 1, waitMs: () => 0, retries: () => true, totalMs: 0 })).toThrow(
    "policy.totalMs: milliseconds above 0 are expected, got 0",
  );
  expect(retrying(inner, { tries: 1, waitMs: () => 0, retries: () => true, totalMs: 1 })).toBeDefined();
});
