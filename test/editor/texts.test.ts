import { expect, it } from "vitest";
import type { CallEvent } from "../../src/core/call/call.ts";
import { type TreeFacts, createTreeTexts } from "../../src/editor/calls-tree/tree-text-model.ts";
import { createRemoteOptions, describeTeam, findAddressOfTeam } from "../../src/editor/session/team-model.ts";
import { describePulled, describePushed } from "../../src/team/transfer.ts";
import { planRecordingLater, splitByTests } from "../../src/editor/test-code/test-target-model.ts";
import { describeBatch, isAllWell } from "../../src/editor/test-runs/batch-model.ts";
import {
  formatRunFooter,
  formatRunHeader,
  type RunSummary,
} from "../../src/editor/test-runs/run-text-model.ts";
import { formatCallLine } from "../../src/editor/window/log-model.ts";
import { aCall, aTest } from "./call-events.ts";
import { missed, nearest } from "./test-code/a-test-file.ts";

const PASSED = { how: "exited", code: 0 } as const;
const FAILED = { how: "exited", code: 1 } as const;
const THREE = [aCall("one"), aCall("two", { outcome: "recorded" }), aCall("three")];
const { miss: HI } = missed("Hi", undefined, nearest("temperature 0.2 → 0.7"));
const miss = (prompt: string, changes: Partial<CallEvent> = {}) =>
  aCall(prompt, { outcome: "miss", ...changes });
const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** Without colors, except the first one as its code. */
const footer = (events: readonly CallEvent[], summary: Partial<RunSummary> = {}): string =>
  formatRunFooter({ end: PASSED, events, ...summary })
    .replace("\u001b[", "color $&")
    // eslint-disable-next-line no-control-regex
    .replaceAll(/color \u001b\[(\d+)m|\u001b\[\d+m/gu, (_, code: string | undefined) =>
      code ? `(${code}) ` : "",
    )
    .trim();

const ended = (title: string, passed: boolean, outcome?: CallEvent["outcome"]) => ({
  title,
  passed,
  events: outcome === undefined ? [] : [aCall("hi", { outcome })],
});
const batch = (all: readonly ReturnType<typeof ended>[], count: number): string =>
  `${describeBatch(all, count)} (${isAllWell(all, count) ? "well" : "not well"})`;
const WELL = ended('"answers"', true, "recorded");

const EMPTY: TreeFacts = {
  isEmpty: false,
  failure: undefined,
  filter: undefined,
  reading: { read: 0, total: 0 },
  pending: 0,
  unreached: undefined,
  requests: 0,
};
const tree = (facts: Partial<TreeFacts>): string => JSON.stringify(createTreeTexts({ ...EMPTY, ...facts }));
const unreached = { what: "npm test", setting: "tapedeck.environment.extensions" };

const TEAM = {
  name: "/mnt/team",
  counts: () => ({ downloaded: 2, uploaded: 0, unsent: 0, refused: [] }),
  trouble: (): string | undefined => undefined,
};
const log = (...call: Parameters<typeof aCall>): string => {
  const { level, text } = formatCallLine(aCall(...call));
  return `${level}: ${text}`;
};

const TEXTS: Readonly<Record<string, string | undefined>> = {
  "above a test's output": formatRunHeader('Recording "it\'s (fine)"', {
    command: "node",
    args: ["v.mjs", "run", "-t", "^it's (fine)$", ""],
    cwd: "/home/me/work",
  }).replaceAll("\u001b", "ESC"),
  "a test that passed, in green": footer(THREE),
  "a test that failed, in red": footer(THREE, { end: FAILED }),
  "a test that was stopped": footer(THREE, { end: { how: "stopped" } }),
  "a stopped test without calls": footer([], { end: { how: "stopped" } }),
  "a test that passed with a missing call, in red": footer([miss("two")]),
  "a missing call, once for each": footer(
    many(3, () => miss("Hi", { miss: HI })),
    { end: FAILED },
  ),
  "a few of very many missing calls": footer(
    many(20, (at) => miss(`call ${at}`)),
    { end: FAILED },
  ),
  "why an answer was not recorded": footer([
    aCall("one", { outcome: "forwarded", mode: "record", reason: "The stream ended too early." }),
  ]),
  "why no call arrived": footer([], {
    unreached: { cause: "mocked", reason: "The tests load nock.", fix: "Take it out." },
  }),
  "a run in which no test ran": footer([], {
    unreached: {
      cause: "no-test",
      reason: "No test ran: vitest ended before its first test.",
      fix: "Read its output.",
    },
  }),
  "several tests, and which failed": batch(
    [ended('"needs a key"', false, "refused"), ended('"is slow"', false, "refused"), WELL],
    3,
  ),
  "a test that was not run": batch([WELL], 2),
  "one that was run": batch([WELL], 1),
  "three of many that failed": batch(
    ["a", "b", "c", "d", "e"].map((title) => ended(title, false)),
    5,
  ),
  "a call in the log": log("Say hi\nin one word", { ms: 1.25, test: { ...aTest("a"), line: 12 } }),
  "a missing call in the log": log("x", { outcome: "miss" }),
  "a call in the log that was not recorded": log("x", {
    outcome: "forwarded",
    reason: "the upstream answered 429",
  }),
  "a call of several lines in the log": log("x", { model: "a\nreplayed · b", reason: "one\r\ntwo" }),
  "above no rows, after requests": tree({ isEmpty: true, requests: 38 }),
  "above no rows, with a filter": tree({ isEmpty: true, filter: "parcel" }),
  "above no rows, with unreached tests": tree({ isEmpty: true, unreached }),
  "beside the title, after requests": tree({ requests: 1_038 }),
  "above the rows, with a filter": tree({ filter: "parcel 38", requests: 38 }),
  "above the rows, while recordings are read": tree({
    filter: "parcel",
    reading: { read: 1_200, total: 20_000 },
  }),
  "above the rows, while long recordings are searched": tree({ filter: "parcel", pending: 1 }),
  "why the folder cannot be shown, before all else": tree({
    isEmpty: true,
    failure: "It cannot be read.",
    filter: "parcel",
  }),
  "a team cache": describeTeam(TEAM),
  "a team cache in trouble": describeTeam({ ...TEAM, trouble: () => "It is gone." }),
  "a team cache before the first request": describeTeam({ ...TEAM, name: undefined }),
  "no team cache": describeTeam(undefined),
  "a download": describePulled({ downloaded: ["a"], existing: 3, refused: ["b"] }, "/mnt/team"),
  "a download of nothing": describePulled({ downloaded: [], existing: 3, refused: [] }, "/mnt/team"),
  "an upload": describePushed({ added: ["a", "b"], existing: 1, newer: ["c"], kept: [] }, "/mnt/team"),
  "an upload of nothing": describePushed(
    { added: [], existing: 1, newer: [], kept: [{ entry: "a", why: "b" }] },
    "/mnt/team",
  ),
};

it("texts of the editor are as the page has them", async () => {
  const page = Object.entries(TEXTS).map(([title, text]) => `# ${title}\n${text ?? "(nothing)"}\n`);

  expect(formatCallLine(aCall("x", { model: "a\nb", reason: "one\r\ntwo" })).text).not.toMatch(/[\r\n]/u);
  // `vitest FILE -u` writes the page anew.
  await expect(page.join("\n")).toMatchFileSnapshot("texts.txt");
});

it.each([
  ["", {}, undefined],
  ["", { TAPEDECK_REMOTE: "" }, undefined],
  ["", { TAPEDECK_REMOTE: "/mnt/team" }, "/mnt/team"],
  [" s3://ours/tapes ", { TAPEDECK_REMOTE: "/mnt/team" }, "s3://ours/tapes"],
])("the team cache of the setting %j and the environment %j is %j", (setting, env, address) => {
  expect(findAddressOfTeam(setting, env)).toBe(address);
});

it("a window uploads nothing to a team cache in any environment, and prefers the key that was given", () => {
  const env = { TAPEDECK_REMOTE_KEY: "theirs", TAPEDECK_REMOTE_WRITE: "1" };
  const options = { address: "/mnt/team", key: "given", writes: false };

  expect(createRemoteOptions("/mnt/team", "given", env)).toEqual(options);
  expect(createRemoteOptions("/mnt/team", undefined, env)).toMatchObject({ key: "theirs" });
});

it("a call outside of a runner is recorded when it is repeated, one to MetaGPT's cache by its process", () => {
  const calls = [
    { miss: { key: "sha256:a" }, test: { file: "chat.test.ts", name: ["says hi"], runner: "vitest" } },
    { miss: { key: "sha256:b" }, test: { file: "ask.py", name: [] } },
    { miss: { key: "sha256:c", cacheFile: "tests/data/rsp_cache.json" } },
  ] as const;
  const [first, ...untested] = calls;

  expect(splitByTests(calls)).toEqual({ tested: [{ test: first.test, key: "sha256:a" }], untested });
  expect(planRecordingLater(untested)).toEqual({
    keys: ["sha256:b"],
    text:
      "No known test makes this call. Run the program that makes it again to record the call. " +
      "No known test makes this call to MetaGPT's cache. Switch Tapedeck to Record, then run MetaGPT again.",
  });
  expect(planRecordingLater([])).toEqual({ keys: [], text: undefined });
});
