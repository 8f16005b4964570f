import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { serialize, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createRunEvent, type RunEvent, buildReport } from "../../../src/cli/report/run-report.ts";
import { formatReport } from "../../../src/cli/report/run-report-text.ts";
import { NOTHING_SPENT } from "../../../src/core/call/spending.ts";
import { ask, ASKING } from "../asking.ts";
import { aRecordedProject } from "../recordings.ts";
import { tapedeck } from "../tapedeck.ts";
import { anEngine, aRun, chatCall, chatReply } from "../../support/an-engine.ts";

const KIB = 1_024;
const MISSES = 100;
/** Requests that caches may hold. */
const RECENT = 20;
const long = (at: number): string => `${at} Where is parcel ${at}?${" Say it in one word.".repeat(3_000)}`;

/** A `WeakRef` keeps its object until the end of the turn of the event loop in which it was made. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  await nextTurn();
  (runInNewContext("gc") as () => void)();
}

it("a run keeps little of a miss, however long its request is, and reports it all the same", async () => {
  const under = anEngine();
  const kept: RunEvent[] = [];
  under.engine.onCall((event) => kept.push(createRunEvent(event)));
  const bodies: WeakRef<Uint8Array>[] = [];
  for (let at = 0; at < MISSES; at += 1) {
    const call = chatCall(aRun("strict"), long(at));
    bodies.push(new WeakRef(call.body));
    await (
      await under.engine.answer(call)
    ).settled;
    (under.events as unknown[]).length = 0;
  }

  await collectGarbage();
  expect(bodies.filter((body) => body.deref() !== undefined).length).toBeLessThanOrEqual(RECENT);
  expect(serialize(kept).byteLength / MISSES).toBeLessThan(15 * KIB);
  const text = formatReport(buildReport("strict", kept.length, kept), { color: false, recordCommand: "x" });
  expect(text).toContain(`${MISSES} missing`);
  expect(text).toContain("parcel 17");
});

it("calls that were sent more than once count as often in the line of calls and in the spending", async () => {
  const under = anEngine();
  await (
    await under.engine.answer(chatCall(aRun("strict"), "hello"))
  ).settled;
  const eventAfter = (calls: number): RunEvent[] =>
    under.events.map((event) => ({
      ...createRunEvent({ ...event, outcome: "recorded" }),
      spent: { ...NOTHING_SPENT, calls, inputTokens: 7 },
    }));
  const report = buildReport("record", 2, [...eventAfter(10), ...eventAfter(4)]);
  const text = formatReport(report, { color: false, recordCommand: "x" });

  expect(text).toContain("2 recorded · 0 missing · 10 sent");
  expect(text).toContain("Spent: 10 calls, 7 tokens.");
});

it("a failed call is no problem if a later attempt was recorded, and asks for nothing", async () => {
  const replies = [chatReply("slow down", 429), chatReply("fine"), chatReply("slow down", 429)];
  const under = anEngine(() => replies.shift()!);
  const run = aRun("record");
  for (const prompt of ["retried", "retried", "given up"])
    await (
      await under.engine.answer(chatCall(run, prompt))
    ).settled;

  const report = buildReport("record", 3, under.events.map(createRunEvent));
  const text = formatReport(report, { color: false, recordCommand: "x" });

  expect(report.findings.map(({ label }) => label)).toEqual(['"given up"']);
  expect(text).toMatch(/! openai answered with status 429.* A later attempt of this call succeeded\.\n/);
  expect(text).toMatch(/! openai answered with status 429.* Wait a little, and record again\.\n/);
});

const NO_TRIALS = /^(?!.*share one)/s;

it.each([
  [
    "numbered rows of one test",
    ["ask[1]", "ask[2]"],
    3,
    /2 trials of .* share one recording.\n +If each should have/,
  ],
  ["tests whose titles differ in a number", ["case 1", "case 2"], 4, NO_TRIALS],
  ["rows that run a test with several backends", ["ask[asyncio]", "ask[trio]"], 3, NO_TRIALS],
])("only numbered rows are trials that share a recording: %s", async (_, [first, second], line, expected) => {
  const under = anEngine();
  const run = aRun("record");
  for (const test of [
    { name: [first!], line: 3 },
    { name: [second!], line },
  ])
    await (
      await under.engine.answer({ ...chatCall(run, "the same"), test: { file: "a.test.js", ...test } })
    ).settled;

  const report = buildReport("record", 2, under.events.map(createRunEvent));

  expect(formatReport(report, { color: false, recordCommand: "x" })).toMatch(expected);
});

it("misses of a file whose runner names no tests are each under their own line", async () => {
  const under = anEngine();
  for (const line of [3, 4, 4])
    await (
      await under.engine.answer({
        ...chatCall(aRun("strict"), `from ${line}`),
        test: { file: "a.test.js", name: [], line },
      })
    ).settled;

  const report = buildReport("strict", 3, under.events.map(createRunEvent));
  const text = formatReport(report, { color: false, recordCommand: "x" });

  expect(text.match(/^✘ .*/gm)).toEqual(["✘ a.test.js:3", "✘ a.test.js:4"]);
});

it("a failure names its first three tests once each, and how to record an error that a test expects", async () => {
  const under = anEngine(() => chatReply("no such parameter", 400));
  const run = aRun("record");
  const testOf = (name: string) => ({ file: "a.test.ts", line: 3, name: [name] });
  for (const name of ["one", "one", "two", "three", "four", "five"])
    await (
      await under.engine.answer({ ...chatCall(run, name), test: testOf(name) })
    ).settled;

  const report = buildReport("record", 6, under.events.map(createRunEvent));
  const text = formatReport(report, { color: false, recordCommand: "x" });

  expect(text).toMatch(
    /! openai answered with status 400.* set "record": \{ "errors": true \} .*\n {4}a\.test\.ts:3 {2}one\n.* two\n.* three\n {4}and 2 more tests\n/,
  );
});

it("a recording that cannot be read must be corrected or deleted, because record mode keeps it", async () => {
  const { cwd, dir, entries } = await aRecordedProject([{ text: "torn" }], ASKING);
  appendFileSync(join(dir, entries[0] ?? ""), "}");

  const broken = await tapedeck(["run", ...ask("torn")], { cwd });
  const both = await tapedeck(["run", "--report", "markdown", ...ask("torn", "new")], { cwd });

  expect(broken.stderr).toContain("Correct the file, or delete it and record the call again.");
  expect(broken.stderr).not.toContain("Record them:");
  expect(both.stderr).toContain("Record them:");
  expect(both.stdout).toContain("Correct the file, or delete it and record the call again.");
});
