import { describe, expect, it } from "vitest";
import type { Answer, Call, Run } from "../../../../src/core/call/call.ts";
import type { IncomingReply, OutgoingRequest } from "../../../../src/core/answer/source/source.ts";
import { createMemoryStore } from "../../../../src/storage/memory-store.ts";
import { createProviders } from "../../../../src/core/protocol/registry.ts";
import { aRun, anEngine, chatCall, textOf, type EngineUnderTest } from "../../../support/an-engine.ts";

function reply(body: object, headers: Readonly<Record<string, string>> = {}): IncomingReply {
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(JSON.stringify(body));
  };
  return {
    status: 200,
    headers: [["content-type", "application/json"], ...Object.entries(headers)],
    body: bytes(),
  };
}

const response = (status: string): object => ({
  id: "resp_1a2b3c4d",
  object: "response",
  background: true,
  status,
  error: null,
  model: "gpt-5-mini",
  output: [],
});

/** Answers each call with the next of its replies, and then with the last one. */
function answering(replies: Readonly<Record<string, readonly (() => IncomingReply)[]>>) {
  const counts = new Map<string, number>();
  return ({ method, url }: OutgoingRequest): IncomingReply => {
    const name = `${method} ${new URL(url).pathname}`;
    const at = counts.get(name) ?? 0;
    counts.set(name, at + 1);
    const found = replies[name]?.[at] ?? replies[name]?.at(-1);
    if (found === undefined) throw new Error(`no reply to ${name}`);
    return found();
  };
}

const call = (run: Run, method: string, path: string, body?: object): Call =>
  chatCall(run, "", {}, { method, path, body: Buffer.from(body === undefined ? "" : JSON.stringify(body)) });

const statusIn = async (answer: Answer): Promise<unknown> => {
  const text = await textOf(answer);
  await answer.settled;
  return (JSON.parse(text) as { readonly status?: unknown }).status ?? text;
};

const headerOf = ({ reply: { headers } }: Answer, name: string): string | undefined =>
  headers.find(([one]) => one === name)?.[1];

const CREATE = "POST /v1/responses";
const POLL = "GET /v1/responses/resp_1a2b3c4d";

const ask = (run: Run): Call =>
  call(run, "POST", "/v1/responses", { model: "m", input: "x", background: true });
const poll = (run: Run, path = "/v1/responses/resp_1a2b3c4d"): Call => call(run, "GET", path);

type Options = NonNullable<Parameters<typeof anEngine>[1]>;

/** Makes the calls of a recording run in order; resolves to the states that its client got. */
async function record(
  upstream: ReturnType<typeof answering>,
  options: Options,
  calls: readonly ((run: Run) => Call)[],
): Promise<readonly unknown[]> {
  return play(anEngine(upstream, options), aRun("record"), calls);
}

async function play(
  { engine }: EngineUnderTest,
  run: Run,
  calls: readonly ((run: Run) => Call)[],
): Promise<readonly unknown[]> {
  const states: unknown[] = [];
  for (const one of calls) states.push(await statusIn(await engine.answer(one(run))));
  return states;
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe("a background response", () => {
  const states = ["queued", "in_progress", "in_progress", "completed"];
  const upstream = () =>
    answering({
      [CREATE]: [() => reply(response("queued"))],
      [POLL]: states.map((status) => () => reply(response(status))),
    });

  it("is replayed as it was created, and then poll by poll", async () => {
    const store = createMemoryStore();
    const calls = [ask, ...times(4, poll)];
    const recorded = await record(upstream(), { store }, calls);
    const replayer = anEngine(undefined, { store });

    expect(recorded).toEqual(["queued", ...states]);
    expect(await play(replayer, aRun("strict"), [...calls, poll, poll])).toEqual([
      ...recorded,
      "completed",
      "completed",
    ]);
    expect(replayer.events.map(({ reason }) => reason)).toEqual(times(7, undefined));
  });

  it("is polled to its end if identical calls get one reply otherwise", async () => {
    const store = createMemoryStore();
    const calls = [ask, ...times(4, poll)];
    const recorded = await record(upstream(), { store, repeats: "same" }, calls);
    const replayed = await play(anEngine(undefined, { store, repeats: "same" }), aRun("strict"), calls);

    expect(recorded).toEqual(["queued", ...states]);
    expect(replayed).toEqual(recorded);
  });

  it("that was not recorded to its end is missed after its last state, and recorded on", async () => {
    const store = createMemoryStore();
    const provider = upstream();
    await record(provider, { store }, [ask, poll, poll]);
    const strict = anEngine(undefined, { store });

    const [, , , missed] = await play(strict, aRun("strict"), [ask, ...times(3, poll)]);
    expect(missed).toMatch(/identical call 3 of 2.*"code":"tapedeck_miss"/s);

    expect(await record(provider, { store }, [ask, ...times(4, poll)])).toEqual(["queued", ...states]);
    expect(await play(strict, aRun("strict"), [ask, ...times(4, poll)])).toEqual(["queued", ...states]);
  });

  it("that waits long is recorded with few of its polls", async () => {
    const store = createMemoryStore();
    const long = [...times(60, "in_progress"), "completed"];
    const provider = answering({ [POLL]: long.map((status) => () => reply(response(status))) });

    expect(await record(provider, { store }, times(61, poll))).toEqual(long);
    expect(await store.list()).toHaveLength(21);
    expect(await play(anEngine(undefined, { store }), aRun("strict"), times(21, poll))).toEqual([
      ...times(20, "in_progress"),
      "completed",
    ]);
  });

  it("that failed or was canceled is recorded to this end", async () => {
    for (const end of ["failed", "cancelled", "incomplete"]) {
      const store = createMemoryStore();
      const provider = answering({
        [POLL]: ["in_progress", end].map((status) => () => reply(response(status))),
      });
      const recorded = await record(provider, { store }, [poll, poll]);
      expect(recorded).toEqual(["in_progress", end]);
      expect(await play(anEngine(undefined, { store }), aRun("strict"), [poll, poll, poll])).toEqual([
        ...recorded,
        end,
      ]);
    }
  });

  it("that is made up is queued, and completed when it is retrieved", async () => {
    const { engine } = anEngine();
    const run = aRun("lenient");
    const cancel = (one: Run): Call => call(one, "POST", "/v1/responses/resp_1a2b3c4d/cancel");
    expect(await play({ ...anEngine(), engine }, run, [ask, poll, cancel])).toEqual([
      "queued",
      "completed",
      "cancelled",
    ]);
  });
});

/** The state of a job, where its provider has it. */
const STATES = {
  status: (status: string) => ({ status }),
  processing: (processing_status: string) => ({ processing_status }),
  task: (task_status: string) => ({ output: { task_status } }),
  state: (state: string) => ({ state }),
  batch: (state: string) => ({ metadata: { state: `BATCH_STATE_${state}` } }),
  operation: (done: string) => ({
    name: "operations/1a2b3c4d",
    ...(done !== "unknown" && { done: done === "true" }),
    ...(done === "true" && { response: { videos: [] } }),
  }),
};

type JobCase = readonly [
  provider: string,
  path: string,
  form: keyof typeof STATES,
  states: string,
  body?: object,
];

const VEO = "/v1/projects/p/locations/us-central1/publishers/google/models/veo-3:fetchPredictOperation";

describe("a job of another provider", () => {
  it.for<JobCase>([
    ["openai", "/v1/batches/batch_1a2b3c4d", "status", "validating in_progress completed"],
    ["openai", "/v1/videos/video_1a2b3c4d", "status", "queued in_progress completed"],
    ["openai", "/v1/fine_tuning/jobs/ftjob-1a2b", "status", "running running succeeded"],
    ["anthropic", "/v1/messages/batches/msgbatch_01", "processing", "in_progress canceling ended"],
    ["gemini", "/v1beta/models/veo-3/operations/1a2b3c4d", "operation", "unknown false true"],
    ["gemini", "/v1beta/batches/1a2b3c4d", "batch", "PENDING RUNNING SUCCEEDED"],
    ["gemini", "/v1beta/files/1a2b3c4d", "state", "PROCESSING PROCESSING ACTIVE"],
    ["vertex", VEO, "operation", "unknown false true", { operationName: "projects/p/operations/1a2b3c4d" }],
    ["bedrock", "/async-invoke/arn%3Aaws%3Abedrock%3A1", "status", "InProgress InProgress Completed"],
    ["dashscope", "/api/v1/tasks/1a2b3c4d", "task", "PENDING RUNNING SUCCEEDED"],
  ])(
    "%s: %s ends the same way with more polls, and never goes on forever",
    async ([provider, path, form, words, body]) => {
      const states = words.split(" ").map((state) => STATES[form](state));
      const method = body === undefined ? "GET" : "POST";
      const pollIt = (run: Run): Call => ({ ...call(run, method, path, body), provider });
      const store = createMemoryStore();
      const providers = createProviders({ bedrock: "https://bedrock-runtime.us-east-1.amazonaws.com" });
      const upstream = answering({ [`${method} ${path}`]: states.map((state) => () => reply(state)) });
      await record(upstream, { store, providers }, [pollIt, pollIt]);
      const strict = anEngine(undefined, { store, providers });

      const cut = await play(strict, aRun("strict"), [pollIt, pollIt, pollIt]);
      expect(String(cut[2])).toContain("tapedeck_miss");
      await record(upstream, { store, providers }, [pollIt, pollIt, pollIt]);
      expect(await store.list()).toHaveLength(3);
      const run = aRun("strict");
      for (const state of [...states, states.at(-1), states.at(-1)])
        expect(JSON.parse(await textOf(await strict.engine.answer(pollIt(run))))).toEqual(state);
    },
  );
});

describe("a replay", () => {
  const upstream = () =>
    answering({
      [POLL]: [
        () => reply(response("in_progress"), { "openai-poll-after-ms": "5000", "retry-after": "30" }),
        () => reply(response("completed"), { "retry-after-ms": "1500" }),
      ],
    });
  const headersOf = async (timing: "none" | "recorded"): Promise<readonly unknown[]> => {
    const store = createMemoryStore();
    await record(upstream(), { store }, [poll, poll]);
    const { engine } = anEngine(undefined, { store, timing });
    const run = aRun("strict");
    return [await engine.answer(poll(run)), await engine.answer(poll(run))].map((answer) =>
      ["openai-poll-after-ms", "retry-after", "retry-after-ms"].map((name) => headerOf(answer, name)),
    );
  };

  it("asks no client to wait for the provider", async () => {
    expect(await headersOf("none")).toEqual([
      ["0", "0", undefined],
      [undefined, undefined, "0"],
    ]);
  });

  it("asks for the recorded waits if the recorded timing is wanted", async () => {
    expect(await headersOf("recorded")).toEqual([
      ["5000", "30", undefined],
      [undefined, undefined, "1500"],
    ]);
  });

  it("has OpenAI's clients poll at once if the provider named no interval", async () => {
    const store = createMemoryStore();
    const provider = answering({
      [POLL]: [() => reply(response("queued")), () => reply(response("completed"))],
    });
    await record(provider, { store }, [poll, poll]);
    const { engine } = anEngine(undefined, { store });
    const run = aRun("strict");

    expect(headerOf(await engine.answer(poll(run)), "openai-poll-after-ms")).toBe("0");
    expect(headerOf(await engine.answer(poll(run)), "openai-poll-after-ms")).toBeUndefined();
  });
});
