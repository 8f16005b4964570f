import { describe, expect, it } from "vitest";
import type { RunRecord } from "../../../src/core/view/run-record/run-record.ts";
import { pickRunHead } from "../../../src/core/view/run-record/run-record-text.ts";
import { readTimelineRequest } from "../../../src/core/view/run-record/timeline-data.ts";
import { renderPageHtml } from "../../../src/editor/panels/page-html-model.ts";
import { collectTimelineData, readTimelineSubject } from "../../../src/editor/panels/timeline-panel-model.ts";
import { aRun, aRunCall } from "../../support/a-run.ts";

const START = 1_800_000_000_000;

/** `runs`: newest first; the first one is under way. */
function sourcesOf(...runs: readonly RunRecord[]) {
  return {
    now: START + 1_000,
    log: {
      list: async () => runs.map(pickRunHead),
      read: async (id: string) => runs.find((one) => one.id === id),
      isOpen: (id: string) => id === runs[0]?.id,
      underWay: async () => runs.slice(0, 1),
    },
  };
}

const newest = aRun([aRunCall("a", { test: { file: "a.test.ts", name: ["a"] } })], { id: "newest" });
const older = aRun([aRunCall("b", { test: { file: "b.test.ts", name: ["suite", "b"] } })], { id: "older" });

describe("the runs of a timeline", () => {
  it("is the newest run, live while it can make calls", async () => {
    const sources = sourcesOf(newest, older);

    expect(await collectTimelineData({}, sources)).toMatchObject({ run: { id: "newest" }, isLive: true });
    expect(await collectTimelineData({}, { ...sources, now: START + 60_000 })).toMatchObject({
      isLive: false,
    });
    expect(await collectTimelineData({ run: "older" }, sources)).toMatchObject({
      run: { id: "older" },
      isLive: false,
    });
  });

  it("of a test, a suite or a file is the newest run in which it called", async () => {
    for (const name of [["suite", "b"], ["suite"], []])
      expect(
        await collectTimelineData({ test: { file: "b.test.ts", name } }, sourcesOf(newest, older)),
      ).toMatchObject({
        run: { id: "older" },
      });
  });

  it("is nothing when no run is known, and the newest one when the wanted one was forgotten", async () => {
    expect(await collectTimelineData({}, sourcesOf())).toEqual({ isLive: false, choices: [] });
    expect(await collectTimelineData({ run: "gone" }, sourcesOf(newest))).toMatchObject({
      run: { id: "newest" },
    });
  });
});

describe("a message from a page", () => {
  it.each([
    [{ type: "open", entry: "calls/a.json" }],
    [{ type: "openMissing", key: "sha256:0" }],
    [{ type: "show", run: "a" }],
    [{ type: "goToTest", test: { file: "a.test.ts", name: ["a"], line: 3 } }],
  ])("is taken when it is a request: %j", (message) => {
    expect(readTimelineRequest(message)).toEqual(message);
  });

  it.each([
    [undefined],
    ["open"],
    [{ type: "open" }],
    [{ type: "open", entry: 7 }],
    [{ type: "goToTest", test: { file: "a", name: "b" } }],
    [{ type: "execute", command: "rm" }],
  ])("is ignored otherwise: %j", (message) => {
    expect(readTimelineRequest(message)).toBeUndefined();
  });

  it("names a subject by the one known run", () => {
    expect(readTimelineSubject({ run: 1, test: { file: "a" }, folder: "f", other: 1 })).toEqual({
      folder: "f",
    });
    expect(readTimelineSubject(null)).toBeUndefined();
  });
});

it("is a page that may load only its own script and style sheet, whatever its title is", () => {
  const html = renderPageHtml({
    title: '</title><script>alert("x")</script>',
    source: "https://own",
    script: "https://own/a.js",
    style: "https://own/a.css",
    texts: {},
    nonce: "abc",
  });

  expect(html).toContain(`content="default-src 'none'; script-src 'nonce-abc'; style-src https://own"`);
  expect(html.match(/<script/g)).toEqual(["<script"]);
  expect(html).not.toMatch(/style=|onclick|unsafe/);
});
