import { expect, onTestFinished, test, vi } from "vitest";
import type { CallEvent, Run } from "../../src/core/call/call.ts";
import type { PlannedFault } from "../../src/core/call/mocks.ts";
import { clock } from "../../src/deck/clock.ts";
import { aProject, chatOf, nextCall, type Project } from "./a-project.ts";

interface ReceivedReply {
  readonly event: CallEvent;
  readonly status: number;
  readonly retryAfter: string | null;
  /** The received text, up to where the connection broke. */
  readonly text: string;
  readonly broke: boolean;
}

/** Calls one after another in a run with these faults; lenient mode answers "one two three". */
async function gotOf(
  faults: readonly PlannedFault[],
  bodies: readonly unknown[],
  runOf: (project: Project) => Run = ({ deck }) => deck.createRun("lenient"),
): Promise<readonly ReceivedReply[]> {
  const project = aProject({ faults });
  await project.say({ lenient: { reply: "one two three" } });
  const run = runOf(project);
  const all: ReceivedReply[] = [];
  for (const body of bodies) all.push(await askAt(project, run, body));
  return all;
}

async function askAt(project: Project, run: Run, body: unknown): Promise<ReceivedReply> {
  const { reply, event } = await project.post(body, { run });
  const came: Uint8Array[] = [];
  let broke = false;
  try {
    for await (const piece of reply.body ?? []) came.push(piece);
  } catch {
    broke = true;
  }
  return {
    event: await event,
    status: reply.status,
    retryAfter: reply.headers.get("retry-after"),
    text: Buffer.concat(came).toString(),
    broke,
  };
}

/** How long was waited, without waiting. */
function waitsOf(): readonly number[] {
  const waits: number[] = [];
  const waiting = vi.spyOn(clock, "wait").mockImplementation(async (ms) => void waits.push(ms));
  onTestFinished(() => waiting.mockRestore());
  return waits;
}

const HI = chatOf(["hi"]);
const STREAM = chatOf(["hi"], { stream: true });
const eventsIn = ({ text }: ReceivedReply): number =>
  text.split("\n\n").filter((event) => event.startsWith("data:")).length;

/** Summarizes a result: the events of a stream, or the characters of a whole reply; "!" if its connection broke. */
const came = (got: ReceivedReply): string =>
  `${got.text.startsWith("data:") ? eventsIn(got) : `${got.text.length} characters`}${got.broke ? "!" : ""}`;

const MADE_UP = "No recording matches, so the default reply answered.";

interface FaultOutcome {
  readonly came: string;
  readonly says: string;
  readonly waits?: readonly number[];
}

const SLOW = "It was slowed down on purpose.";
const cut = (after: number): string => `It was cut off after ${after} events on purpose.`;
const broken = (after: number): string => `Its connection was broken after ${after} events on purpose.`;

test.each<readonly [what: string, fault: PlannedFault, body: unknown, told: FaultOutcome]>([
  ["a stream is cut", { cutAfter: 2 }, STREAM, { came: "2", says: cut(2) }],
  ["a stream breaks", { disconnectAfter: 2 }, STREAM, { came: "2!", says: broken(2), waits: [20] }],
  [
    "a stream is cut early",
    { cutAfter: 1 },
    STREAM,
    { came: "1", says: "It was cut off after 1 event on purpose." },
  ],
  ["a whole reply is cut in its middle", { cutAfter: 3 }, HI, { came: "144 characters", says: cut(3) }],
  ["a whole reply is cut before it", { cutAfter: 0 }, HI, { came: "0 characters", says: cut(0) }],
  [
    "a whole reply breaks in its middle",
    { disconnectAfter: 3 },
    HI,
    { came: "144 characters!", says: broken(3), waits: [20] },
  ],
  ["a stream begins late", { firstTokenMs: 30 }, STREAM, { came: "6", says: SLOW, waits: [30] }],
  [
    "a stream is slow",
    { tokensPerSecond: 50 },
    STREAM,
    { came: "6", says: SLOW, waits: [20, 20, 20, 20, 20] },
  ],
  [
    "a whole reply begins late, and has no pace",
    { firstTokenMs: 30, tokensPerSecond: 50 },
    HI,
    { came: "289 characters", says: SLOW, waits: [30, 0] },
  ],
])("%s on purpose, and it is reported", async (_, fault, body, told) => {
  const waits = waitsOf();
  const [got] = await gotOf([fault], [body]);

  expect(came(got!)).toBe(told.came);
  expect(got!.event).toMatchObject({ outcome: "defaulted", reason: `${MADE_UP} ${told.says}` });
  expect(waits).toEqual(told.waits ?? []);
});

test.each([
  ["misses nothing if its client leaves", true, { outcome: "defaulted", fault: "slow:60000" }],
  ["is missing if its client waits", false, { outcome: "miss" }],
] as const)("a slow call without a recording %s", async (_, leaves, told) => {
  const { deck } = aProject({ faults: [{ firstTokenMs: 60_000 }] });
  const client = new AbortController();
  const waiting = vi
    .spyOn(clock, "wait")
    .mockImplementation(async () => (leaves ? client.abort() : undefined));
  onTestFinished(() => waiting.mockRestore());
  const event = nextCall(deck);
  const call = deck.fetch(deck.createRun("strict"))("https://api.openai.com/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(HI),
    signal: client.signal,
  });
  await Promise.allSettled([call]);

  expect(await event).toMatchObject(told);
});

test("faults hit one call each in their order, failures in the words that were given", async () => {
  const faults: PlannedFault[] = [
    { status: 429, retryAfter: 2 },
    { ok: true },
    { status: 503, message: "busy" },
  ];
  const got = await gotOf(faults, [HI, HI, HI, HI]);

  expect(got.map(({ status, retryAfter }) => [status, retryAfter])).toEqual([
    [429, "2"],
    [200, null],
    [503, null],
    [200, null],
  ]);
  expect(got.map(({ event }) => event.fault)).toEqual(["429", undefined, "503", undefined]);
  expect(got.map(({ event }) => event.reason)).toEqual([
    "This call failed on purpose: 429.",
    MADE_UP,
    "This call failed on purpose: 503.",
    MADE_UP,
  ]);
  expect(got[0]?.text).toContain("Tapedeck fails this call on purpose: 429.");
  expect(got[2]?.text).toContain("busy");
});

test("a delay applies to all calls beside a fault for one, unless it has a count", async () => {
  waitsOf();
  const always = await gotOf([{ firstTokenMs: 30 }, { cutAfter: 1 }], [STREAM, STREAM]);
  const once = await gotOf([{ tokensPerSecond: 10, times: 1 }], [STREAM, STREAM]);

  expect(always.map(({ event }) => event.fault)).toEqual(["cut:1 slow:30", "slow:30"]);
  expect(once.map(({ event }) => event.fault)).toEqual(["rate:10", undefined]);
});

test.each<readonly [what: string, match: object, hit: readonly number[]]>([
  ["a text", { text: "second" }, [200, 429]],
  ["a model", { model: "gpt-4o-mini" }, [429, 200]],
  ["another model", { model: "o3" }, [200, 200]],
  ["a provider", { provider: "openai" }, [429, 200]],
  ["another provider", { provider: "anthropic" }, [200, 200]],
  ["its test's name", { test: "outer inner" }, [429, 200]],
  ["another test's name", { test: "elsewhere" }, [200, 200]],
  ["two calls", { times: 2 }, [429, 429]],
  ["all calls", { times: "always" }, [429, 429]],
  ["none, where chance never has it", { probability: 0, times: "always" }, [200, 200]],
])("a fault is for calls by %s", async (_, match, hit) => {
  const faults = [{ status: 429, ...match }] as readonly PlannedFault[];
  const got = await gotOf(faults, [chatOf(["first"]), chatOf(["second"])], ({ deck }) =>
    deck.createRun("lenient", { file: "a.test.ts", name: ["outer", "inner test"] }),
  );

  expect(got.map(({ status }) => status)).toEqual(hit);
});

test("chance is the same in every run that makes the same calls", async () => {
  const faults: readonly PlannedFault[] = [{ status: 429, probability: 0.5, times: "always" }];
  const bodies = Array.from({ length: 12 }, (_, at) => chatOf([`call ${at}`]));
  const statuses = async (): Promise<number[]> => (await gotOf(faults, bodies)).map(({ status }) => status);

  const first = await statuses();

  expect(new Set(first)).toEqual(new Set([200, 429]));
  expect(await statuses()).toEqual(first);
});
