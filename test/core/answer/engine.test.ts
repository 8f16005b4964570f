import { expect, test } from "vitest";
import type { Mode } from "../../../src/core/call/call.ts";
import { createFindingsOfCall } from "../../../src/core/view/finding.ts";
import {
  anEngine,
  aRun,
  chatCall,
  chatEvent,
  chatReply,
  DONE,
  streamReply,
  textOf,
} from "../../support/an-engine.ts";

test("strict mode replays recordings byte for byte and contacts no provider", async () => {
  const { engine, sent } = anEngine();
  const recorded = await engine.answer(chatCall(aRun("record"), "hi"));
  const original = await textOf(recorded);

  const replayed = await engine.answer(chatCall(aRun("strict"), "hi"));

  expect(recorded.outcome).toBe("recorded");
  expect(replayed.outcome).toBe("replayed");
  expect(replayed.entry).toBe(recorded.entry);
  expect(await textOf(replayed)).toBe(original);
  expect(sent).toHaveLength(1);
});

test("JSON of a chat is recorded and replayed under whatever content type a client sends it", async () => {
  const { engine, store } = anEngine();
  const asked = (mode: Mode, contentType: string) =>
    engine.answer(chatCall(aRun(mode), "hi", {}, { headers: [["content-type", contentType]] }));

  const recorded = await asked("record", "application/octet-stream");
  await textOf(recorded);
  const replayed = await asked("strict", "application/x-www-form-urlencoded");
  const usual = await asked("strict", "application/json");

  const { entry = "" } = await recorded.settled;
  expect([recorded.outcome, replayed.outcome, usual.outcome]).toEqual(["recorded", "replayed", "replayed"]);
  expect((await store.read(entry)).request).toMatchObject({ method: "POST", path: "/v1/chat/completions" });
});

test("a miss in strict mode names the call, the nearest recording, the differences, and how to record it", async () => {
  const { engine, sent, events } = anEngine();
  await engine.answer(chatCall(aRun("record"), "Say hi in one word", { temperature: 0.2 }));

  const answer = await engine.answer(chatCall(aRun("strict"), "Say hi in one word", { temperature: 0.7 }));

  const { error } = JSON.parse(await textOf(answer)) as {
    error: { message: string; code: string; type: string; param: null };
  };
  expect(answer.outcome).toBe("miss");
  expect(answer.reply.status).toBe(404);
  expect(answer.reply.headers).toContainEqual(["x-should-retry", "false"]);
  expect(error).toMatchObject({ code: "tapedeck_miss", type: "tapedeck_miss", param: null });
  expect(error.message).toContain("gpt-4o-mini");
  expect(error.message).toContain("Say hi in one word");
  expect(error.message).toMatch(/, key [0-9a-f]{8}…\n/);
  expect(error.message).toMatch(
    /\nDiffers from the nearest recording \([0-9a-f]{8}…\): temperature 0\.2 → 0\.7\.\nTo record it, /,
  );
  expect(error.message).toContain("tapedeck run --mode record");
  expect(sent).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({
    outcome: "miss",
    entry: null,
    miss: { label: "Say hi in one word" },
  });
});

test("identical calls of a run become takes and replay in order; after the end the last one repeats with a note", async () => {
  let count = 0;
  const { engine, events } = anEngine(() => chatReply(`answer ${++count}`));
  const recording = aRun("record");
  for (let call = 0; call < 3; call += 1) await textOf(await engine.answer(chatCall(recording, "again")));

  const strict = aRun("strict");
  const replayed: string[] = [];
  for (let call = 0; call < 5; call += 1)
    replayed.push(contentOf(await textOf(await engine.answer(chatCall(strict, "again")))));

  expect(replayed).toEqual(["answer 1", "answer 2", "answer 3", "answer 3", "answer 3"]);
  const reasons = events.slice(3).map(({ reason }) => reason);
  expect(reasons.slice(0, 3)).toEqual([undefined, undefined, undefined]);
  expect(reasons[3]).toMatch(/^The call calls\/openai\/.* was made more often than it has takes \(3\)/);
  expect(reasons[4]).toBe(reasons[3]);
});

test("refresh keeps the old recording when the new answer is an error", async () => {
  let status = 200;
  const { engine } = anEngine(() => chatReply(`status ${status}`, status));
  await engine.answer(chatCall(aRun("record"), "hi"));
  status = 500;

  const refreshed = await engine.answer(chatCall(aRun("refresh"), "hi"));

  expect(refreshed.outcome).toBe("forwarded");
  expect(contentOf(await textOf(await engine.answer(chatCall(aRun("strict"), "hi"))))).toBe("status 200");
});

test("lenient answers what is not recorded with the default reply, and live records nothing", async () => {
  const { engine, store, sent, events } = anEngine();

  const lenient = await engine.answer(chatCall(aRun("lenient"), "unknown"));
  const live = await engine.answer(chatCall(aRun("live"), "unknown"));

  expect(lenient.outcome).toBe("defaulted");
  expect(contentOf(await textOf(lenient))).toBe("by default");
  expect(live.outcome).toBe("forwarded");
  expect(contentOf(await textOf(live))).toBe("hello");
  expect(sent).toHaveLength(1);
  expect(await store.list()).toEqual([]);
  expect(events.map(({ outcome }) => outcome)).toEqual(["defaulted", "forwarded"]);
});

test.each([
  ["strict", "defaulted", 0],
  ["lenient", "defaulted", 0],
  ["record", "forwarded", 1],
  ["refresh", "forwarded", 1],
  ["live", "forwarded", 1],
] as const)(
  "in %s an upload of traces is %s, misses nothing and is never kept",
  async (mode, outcome, sent) => {
    const { engine, store, ...seen } = anEngine();
    const upload = chatCall(aRun(mode), "traces", {}, { path: "/v1/traces/ingest" });

    const answer = await engine.answer(upload);
    await textOf(answer);
    await answer.settled;

    expect(answer.outcome).toBe(outcome);
    expect(seen.sent).toHaveLength(sent);
    expect(await store.list()).toEqual([]);
  },
);

test("one call can be answered in another mode than its run's, once", async () => {
  let count = 0;
  const { engine } = anEngine(() => chatReply(`answer ${++count}`));
  const recorded = await engine.answer(chatCall(aRun("record"), "hi"));
  const key = `sha256:${recorded.entry?.slice(-69, -5)}` as const;
  const strict = aRun("strict");
  strict.overrides.set(key, "refresh");

  const first = await engine.answer(chatCall(strict, "hi"));
  const second = await engine.answer(chatCall(strict, "hi"));

  expect([first.outcome, second.outcome]).toEqual(["recorded", "replayed"]);
  expect(contentOf(await textOf(second))).toBe("answer 2");
});

test("a miss stays a miss when no nearest recording can be found", async () => {
  const { store } = anEngine();
  const broken = { ...store, list: () => Promise.reject(new Error("EIO: i/o error")) };
  const { engine, warnings } = anEngine(undefined, { store: broken });

  const answer = await engine.answer(chatCall(aRun("strict"), "hi"));

  expect(answer).toMatchObject({ outcome: "miss", reply: { status: 404 } });
  expect(warnings).toEqual([expect.stringContaining("EIO")]);
});

test("an unknown provider, a body that is not JSON and a placeholder key are refused in words", async () => {
  const { engine, sent } = anEngine();
  const run = aRun("record");

  const unknown = await engine.answer(chatCall(run, "x", {}, { provider: "nobody" }));
  const broken = await engine.answer(chatCall(run, "x", {}, { body: Buffer.from('{"model": ') }));
  const placeholder = await engine.answer(
    chatCall(run, "x", {}, { headers: [["authorization", "Bearer tapedeck-placeholder-key"]] }),
  );

  expect([unknown, broken, placeholder].map(({ outcome }) => outcome)).toEqual([
    "refused",
    "refused",
    "refused",
  ]);
  expect([unknown, broken, placeholder].map(({ reply }) => reply.status)).toEqual([404, 400, 401]);
  expect(await textOf(unknown)).toContain('there is no provider \\"nobody\\"');
  expect(await textOf(broken)).toContain("line 1, column");
  expect(await textOf(placeholder)).toContain("OPENAI_API_KEY");
  expect(sent).toEqual([]);
});

test("a placeholder key in the query is never sent", async () => {
  const { engine, sent } = anEngine();
  const path = "/v1beta/models/gemini-2.5-flash:generateContent?key=tapedeck-placeholder-key";

  const body = Buffer.from('{"contents":[]}');
  const answer = await engine.answer(chatCall(aRun("record"), "x", {}, { provider: "gemini", path, body }));

  expect([answer.outcome, answer.reply.status]).toEqual(["refused", 401]);
  expect(sent).toEqual([]);
});

test("an event has the upstream's status and the time to its first byte, unless a recording answered", async () => {
  const pieces = async function* (): AsyncGenerator<string> {
    clock.advance(10);
    yield chatEvent("hello");
    clock.advance(500);
    yield DONE;
  };
  const { engine, events, clock } = anEngine(() => {
    clock.advance(40);
    return streamReply(pieces());
  });

  for (const mode of ["record", "strict"] as const) {
    const answer = await engine.answer(chatCall(aRun(mode), "hi", { stream: true }));
    await textOf(answer);
    await answer.settled;
  }

  expect(events).toMatchObject([
    { outcome: "recorded", upstreamStatus: 200, firstByteMs: 50, ms: 550 },
    { outcome: "replayed", ms: 0 },
  ]);
  for (const fact of ["upstreamStatus", "firstByteMs"]) expect(events[1]).not.toHaveProperty(fact);
});

test("a client that disconnects early is not reported as an unreachable upstream", async () => {
  const client = new AbortController();
  const { engine, events } = anEngine(() => {
    client.abort();
    throw new Error("This operation was aborted");
  });

  await engine.answer(chatCall(aRun("record"), "hi", {}, { signal: client.signal }));

  expect(events).toMatchObject([
    { outcome: "forwarded", entry: null, reason: expect.stringMatching(/^The client closed/) },
  ]);
});

test.each([
  ["that cannot be reached", "openai", "unreachable", /: connect ECONNREFUSED\.$/, /^Nothing was recorded/],
  ["without an address", "azure", "no address", /no address for azure/, /^Set it with --upstream azure=/],
  ["that is not configured", "nowhere", "no address", /"nowhere"/, /set its address with --upstream/],
])(
  "a call to a provider %s fails once with its own cause and advice",
  async (...[, provider, brief, why, fix]) => {
    const { engine, events } = anEngine(() => {
      throw Object.assign(new Error("connect ECONNREFUSED:\n."), {
        code: "ECONNREFUSED",
        syscall: "connect",
      });
    });

    const answer = await engine.answer(chatCall(aRun("record"), "hi", {}, { provider }));

    // Vercel's AI SDK and LangChain.js ignore the header and retry each 5xx for seconds or minutes.
    expect(answer.reply.status).toBe(404);
    expect(answer.reply.headers).toContainEqual(["x-should-retry", "false"]);
    expect(events.flatMap((event) => createFindingsOfCall(event, "terminal"))).toMatchObject([
      {
        kind: "failed",
        brief,
        why: expect.stringMatching(why),
        fix: expect.stringMatching(fix),
        repair: "address",
      },
    ]);
  },
);

test("a call whose connection broke off may be retried, as without Tapedeck", async () => {
  const { engine, events } = anEngine(() => {
    throw Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
  });

  const answer = await engine.answer(chatCall(aRun("record"), "hi"));

  expect(answer.reply.status).toBe(502);
  expect(answer.reply.headers.map(([name]) => name)).not.toContain("x-should-retry");
  expect(events).toMatchObject([{ outcome: "forwarded", entry: null }]);
});

test("an event is emitted when a call has ended, with the test and without any header", async () => {
  const { engine, events } = anEngine(() => streamReply([chatEvent("Hel"), chatEvent("lo"), DONE]));
  const testRef = { file: "a.test.ts", name: ["greets"], line: 3 };

  await textOf(await engine.answer(chatCall(aRun("record"), "hi", { stream: true }, { test: testRef })));

  expect(events).toMatchObject([
    { outcome: "recorded", provider: "openai", operation: "chat.completions", test: testRef },
  ]);
  expect(JSON.stringify(events)).not.toContain("sk-test");
});

function contentOf(body: string): string {
  return (JSON.parse(body) as { choices: [{ message: { content: string } }] }).choices[0].message.content;
}
