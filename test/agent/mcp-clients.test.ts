import { expect, it, onTestFinished, vi } from "vitest";
import { readActions } from "../../src/agent/agent-log.ts";
import type { AgentProject, TestRun } from "../../src/agent/agent-project.ts";
import { aRecordedProject } from "../cli/recordings.ts";
import { anAgent } from "./an-agent.ts";

const RECORD = { name: "tapedeck_record", arguments: { file: "a.test.mjs" } };
const RUN = { name: "tapedeck_run_test", arguments: { file: "a.test.mjs" } };

/** A project with a test whose runs end when `end` is called. */
async function aTarget() {
  const recorded = await aRecordedProject([{ text: "Say hello." }], { "a.test.mjs": 'import "node:test";' });
  const runs: TestRun[] = [];
  const waiting: (() => void)[] = [];
  let isSlow = false;
  const around = (project: AgentProject): AgentProject => ({
    ...project,
    async run(run) {
      runs.push(run);
      if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
      return { hasPassed: true, outcomes: {}, missing: [], problems: [], output: "" };
    },
  });
  return {
    ...recorded,
    around,
    runs,
    slow: () => void (isSlow = true),
    end: () => waiting.shift()?.(),
  };
}

it.each([
  ["a client that cannot ask", undefined],
  ["No", () => ({ action: "decline" as const })],
  ["Cancel", () => ({ action: "cancel" as const })],
  ["OK without a tick", () => ({ action: "accept" as const, content: { agree: false } })],
  ["OK without an answer", () => ({ action: "accept" as const })],
  ["a text in place of an answer", () => ({ action: "accept" as const, content: { agree: "true" } })],
  ["a question that fails", () => Promise.reject(new Error("The window was closed."))],
])("%s is no agreement", async (_, agrees) => {
  const { cwd, dir, around, runs } = await aTarget();
  const agent = await anAgent({ cwd, around, ...(agrees && { agrees }) });

  const { text } = await agent.use(RECORD.name, RECORD.arguments);

  expect(text).toMatch(/^Refused:/);
  expect(runs).toEqual([]);
  expect((await readActions(dir)).map(({ outcome }) => outcome)).toEqual(["refused"]);
});

it("an agreement counts for one call", async () => {
  const { cwd, around, runs } = await aTarget();
  const answers = [true, false];
  const agent = await anAgent({ cwd, around, agrees: () => answers.shift() === true });

  const texts = [
    await agent.use(RECORD.name, RECORD.arguments),
    await agent.use(RECORD.name, RECORD.arguments),
  ];

  expect(texts.map(({ text }) => text.startsWith("Refused"))).toEqual([false, true]);
  expect(runs).toHaveLength(1);
  expect(agent.questions).toHaveLength(2);
});

it("a question that the client withdraws starts nothing", async () => {
  const { cwd, dir, around, runs } = await aTarget();
  const stopped = new AbortController();
  const agent = await anAgent({
    cwd,
    around,
    agrees: () => {
      stopped.abort();
      return new Promise(() => undefined);
    },
  });

  await expect(agent.client.callTool(RECORD, undefined, { signal: stopped.signal })).rejects.toThrow("abort");
  await vi.waitFor(async () => expect(await readActions(dir)).toHaveLength(1));

  expect(runs).toEqual([]);
});

it("a cancelled run gets the signal, and the next call is answered", async () => {
  const { cwd, around, runs, slow, end } = await aTarget();
  const agent = await anAgent({ cwd, around });
  slow();
  const stopped = new AbortController();
  const cancelled = agent.client.callTool(RUN, undefined, { signal: stopped.signal });
  await vi.waitFor(() => expect(runs).toHaveLength(1));

  stopped.abort();
  await expect(cancelled).rejects.toThrow("abort");
  await vi.waitFor(() => expect(runs[0]?.signal.aborted).toBe(true));
  end();
  const next = agent.use(RUN.name, RUN.arguments);
  await vi.waitFor(() => expect(runs).toHaveLength(2));
  end();

  expect(await next).toMatchObject({ isError: false });
});

it("runs of one client do not overlap", async () => {
  const { cwd, around, runs, slow, end } = await aTarget();
  const agent = await anAgent({ cwd, around });
  slow();
  const both = [agent.use(RUN.name, RUN.arguments), agent.use(RUN.name, RUN.arguments)];
  await vi.waitFor(() => expect(runs).toHaveLength(1));
  // Reads do not wait for runs.
  await agent.use("tapedeck_list_misses");
  expect(runs).toHaveLength(1);
  end();
  await vi.waitFor(() => expect(runs).toHaveLength(2));
  end();

  expect((await Promise.all(both)).map(({ isError }) => isError)).toEqual([false, false]);
});

it("a client that asks for progress gets notifications while a test runs", async () => {
  const { cwd, around, runs, slow, end } = await aTarget();
  const agent = await anAgent({ cwd, around });
  slow();
  const progress: number[] = [];
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const ran = agent.client.callTool(RUN, undefined, {
    onprogress: (one) => void progress.push(one.progress),
  });
  while (runs.length === 0) await new Promise(setImmediate);
  vi.advanceTimersByTime(25_000);
  while (progress.length < 2) await new Promise(setImmediate);
  end();
  await ran;

  expect(progress).toEqual([1, 2]);
});

const HUGE = "🎛️\u0000\u202e".repeat(200_000);

it("hostile input has a short answer", async () => {
  const { cwd, around, runs } = await aTarget();
  const agent = await anAgent({ cwd, around, agrees: () => true });

  for (const [name, input] of [
    ["tapedeck_search_recordings", { query: HUGE }],
    ["tapedeck_search_recordings", { query: "\ud800 \udc00 \u{10ffff}" }],
    ["tapedeck_read_recording", { recording: "Say hello." }],
    ["tapedeck_read_recording", { recording: "../../../etc/passwd" }],
    ["tapedeck_read_recording", { recording: "calls/openai/../../../../etc/passwd" }],
    ["tapedeck_compare", { first: "Answer 1", second: HUGE }],
    ["tapedeck_explain_miss", { miss: "Say hello." }],
    ["tapedeck_run_test", { file: HUGE, test: [HUGE] }],
    ["tapedeck_write_reply", { miss: "12345678", text: HUGE }],
    ["tapedeck_list_misses", { file: "x", more: { deep: [[[[[[]]]]]] } }],
    [HUGE, {}],
  ] as const) {
    const { text } = await agent.use(name, input);

    expect(text.length).toBeLessThan(1_500);
    expect(text).not.toMatch(/This is a bug|root:/);
    expect(text).not.toContain("\u202e");
  }
  expect(runs).toEqual([]);
  expect(agent.questions).toEqual([]);
});
