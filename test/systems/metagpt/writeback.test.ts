import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isCacheMiss } from "../../../src/systems/metagpt/miss.ts";
import type { LlmClient } from "../../../src/systems/metagpt/llm-client.ts";
import type { MockLLM, MockLlmOptions } from "../../../src/systems/metagpt/mock-llm.ts";
import { createSession } from "../../../src/systems/metagpt/session.ts";
import type { LogEntry } from "../../../src/client/surroundings.ts";
import { cacheText, parseCacheText } from "../../../src/systems/metagpt/cache/cache-text.ts";
import {
  createResponseCache,
  DEFAULT_CACHE_FILE,
} from "../../../src/systems/metagpt/cache/response-cache.ts";
import { plainJson } from "../../../src/core/base/json/json-tree.ts";
import { rspCacheFile } from "../../../src/systems/metagpt/cache/rsp-cache-file.ts";
import { loadRspCache } from "../../support/recorded-traffic.ts";
import { aFolder } from "../../support/a-folder.ts";
import { goldenFile, type GoldenRow } from "../../client/golden.ts";

const golden = goldenFile("metagpt-writeback");

golden.test(
  "a session answers, remembers and writes as MetaGPT's [MG-13, MG-14, MG-15, MG-16, MG-17, MG-18, MG-19, MG-20, MG-21, MG-22]",
  { run: (row) => play(row, "legacy") },
);
golden.done();

test("with strong keys no request is answered by another one's answer [MG-I1]", async () => {
  const collisions = golden.rows.filter((row) => row.source_defect === "MG-I1");

  const played = await Promise.all(collisions.map((row) => play(row, "strong")));
  const answers = played.map(({ tests }) => tests.flatMap((one) => one.calls.map((call) => call.answer)));

  expect(collisions).toHaveLength(2);
  expect(answers).toEqual([
    ["from aask", "batch", "list"],
    ["plain", "img", "fmt"],
  ]);
});

test("a cache file written by MetaGPT loads, answers all of its keys, and is written back byte for byte [MG-12]", async () => {
  const text = loadRspCache();
  const path = join(aFolder(), "rsp_cache.json");
  writeFileSync(path, text);
  const cache = createResponseCache(rspCacheFile(path));
  await cache.load();
  const llm = createSession({ cache }).mockLLM();
  const stored = JSON.parse(text) as Record<string, unknown>;

  let answered = 0;
  for (const key of cache.keys()) {
    const answer: unknown = await llm.aask(key);
    expect(answer).toEqual(stored[key]);
    answered += 1;
  }

  const written = cacheText(parseCacheText(text));
  console.log(
    `▸ an rsp_cache.json of MetaGPT's kind: ${answered} of ${cache.keys().length} keys answered, ${written.length} characters equal`,
  );
  expect(answered).toBe(425);
  expect(written === text).toBe(true);
});

interface Played {
  readonly tests: readonly {
    readonly calls: readonly { readonly answer?: unknown }[];
  }[];
}

async function play({ input }: GoldenRow, keys: NonNullable<MockLlmOptions["keys"]>): Promise<Played> {
  const folder = aFolder();
  const [file, newFile] = [join(folder, "rsp_cache.json"), join(folder, "rsp_cache_new.json")];
  if (input.cache_file !== null) writeFileSync(file, input.cache_file);
  const log: LogEntry[] = [];
  const cache = createResponseCache(rspCacheFile(file, { shown: DEFAULT_CACHE_FILE }));
  const newCache = createResponseCache(rspCacheFile(newFile, { startsEmpty: true, wins: "last" }));
  await cache.load();
  const live = scripted();
  const session = createSession({
    cache,
    newCache,
    keys,
    live,
    allowLive: input.allow_live,
    log: (entry) => log.push(entry),
  });

  const tests = [];
  for (const one of input.tests) {
    log.length = 0;
    const mock = session.mockLLM();
    const calls = [];
    for (const call of one.calls) calls.push(await ask(mock, call, live));
    const candidates = mock.candidates.map(({ key, answer }) => ({ [key]: plainJson(answer) }));
    session.finishTest(mock, one.outcome === "no-report" ? "unreported" : one.outcome);
    const cacheAfter = Object.fromEntries(
      cache.keys().map((key) => [key, plainJson(cache.get(key) ?? null)]),
    );
    tests.push({
      calls,
      candidates,
      cache_after: cacheAfter,
      log: log.map(({ level, message }) => [level, message]),
    });
  }
  await session.end();

  const files = {
    // Unchanged entries are not written, so their text may be a different spelling of the same value.
    rsp_cache_json: normal(file),
    rsp_cache_new_json: normal(newFile),
  };
  return Object.assign({ tests }, files);
}

function normal(path: string): string {
  return existsSync(path) ? cacheText(parseCacheText(readFileSync(path, "utf8"))) : "{}";
}

interface Scripted extends LlmClient {
  next: unknown;
  calls: number;
}

function scripted(): Scripted {
  const client: Scripted = {
    next: undefined,
    calls: 0,
    aask: answer,
    aaskBatch: answer,
    aaskCode: answer,
  };
  async function answer<T>(): Promise<T> {
    client.calls += 1;
    return client.next as T;
  }
  return client;
}

async function ask(
  mock: MockLLM,
  { method, args, live: next }: { method: string; args: Record<string, never>; live: unknown },
  live: Scripted,
): Promise<{ readonly answer?: unknown }> {
  const before = { calls: live.calls, candidates: mock.candidates.length };
  live.next = next;
  const { msg, msgs, messages, images, format_msgs: formatMsgs } = args;
  let outcome: { readonly answer?: unknown; readonly error?: unknown; readonly live_calls?: number };
  try {
    const answer: unknown =
      method === "aask"
        ? await mock.aask(msg!, { images, formatMsgs } as object)
        : method === "aask_batch"
          ? await mock.aaskBatch(msgs!)
          : await mock.aaskCode(messages!);
    outcome = { answer, live_calls: live.calls - before.calls };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    outcome = { error: { type: isCacheMiss(error) ? "ValueError" : error.name, message: error.message } };
  }
  return Object.assign(outcome, { candidates_added: mock.candidates.length - before.candidates });
}
