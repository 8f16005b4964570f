import { describe, expect, it } from "vitest";
import { packOpenCalls, recalledOpenCalls } from "../../../src/editor/session/open-calls-memory-model.ts";
import type { Finding } from "../../../src/core/finding.ts";
import { createSessionModel } from "../../../src/editor/session/session-model.ts";
import { aCall, aMiss } from "../call-events.ts";
import type { MissingCall } from "../../../src/editor/session/missing-calls-model.ts";

const call = (prompt: string, test = "a"): MissingCall => ({
  id: `id of ${prompt}`,
  miss: { ...aMiss(prompt, "recorded"), model: "gpt-4o-mini" },
  test: { file: "tests/a.test.ts", name: [test], line: 3, at: { file: "src/ask.ts", line: 9 } },
  at: 5,
  count: 2,
});

const failed: Finding = {
  id: "failed one",
  kind: "failed",
  label: '"one"',
  brief: "status 401",
  what: "This gpt-4o-mini call failed.",
  why: "openai answered with status 401: Incorrect API key provided",
  fix: "Give the right key.",
  repair: "key",
  provider: "openai",
  key: aMiss("one").key,
  test: { file: "tests/a.test.ts", name: ["a"] },
  at: 7,
  count: 1,
};

const noSecret = (): boolean => false;
const packMissing = (missing: readonly MissingCall[], holdsSecret = noSecret) =>
  packOpenCalls({ missing, troubles: [] }, holdsSecret);
const recalledMissing = (value: unknown) => recalledOpenCalls(value).missing;

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("missing calls from one window to the next", () => {
  it("are the same, requests byte for byte", () => {
    const calls = [call("one"), call("two — \u{1F600}")];

    expect(recalledMissing(throughJson(packMissing(calls)))).toEqual(calls);
  });

  it("are the newest, as far as there is room", () => {
    const large = {
      ...call("large"),
      miss: { ...aMiss("large"), request: { ...aMiss("large").request, body: new Uint8Array(600_000) } },
    };

    expect(recalledMissing(throughJson(packMissing([call("one"), large])))).toHaveLength(1);
    expect(packMissing(Array.from({ length: 80 }, (_, at) => call(`call ${at}`))).missing).toHaveLength(50);
  });

  it.each([
    ["nothing", undefined],
    ["a text", "x"],
    [
      "other things",
      { missing: [null, 1, {}, { id: "a", at: 1, count: 1, miss: {} }], troubles: [null, {}] },
    ],
    ["a call with a key that is none", { missing: [{ ...call("one"), miss: { key: "x" } }] }],
  ])("that are %s are none", (_what, value) => {
    expect(recalledMissing(value)).toEqual([]);
  });

  it("have those that failed beside them", () => {
    const all = { missing: [call("one")], troubles: [failed] };

    expect(recalledOpenCalls(throughJson(packOpenCalls(all, noSecret)))).toEqual(all);
  });

  it("are left out where they hold a secret, which is not written down", () => {
    const packed = packOpenCalls({ missing: [call("one"), call("two")], troubles: [failed] }, (text) =>
      text.includes("one"),
    );

    expect(recalledOpenCalls(throughJson(packed)).missing.map(({ id }) => id)).toEqual(["id of two"]);
    expect(packed.troubles).toEqual([]);
  });

  it("that failed stand again in the model, and go when their call is answered", () => {
    const model = createSessionModel();

    model.recalledTroubles([failed]);
    model.renamed("tests", "spec");

    expect(model.state.troubles.map(({ test }) => test?.file)).toEqual(["spec/a.test.ts"]);
    model.called(aCall("one", { outcome: "recorded" }));
    expect(model.state.troubles).toEqual([]);
  });

  it("stand again in the model, and go when they are recorded", () => {
    const model = createSessionModel();

    model.recalledMissing([call("new"), call("old")]);

    expect(model.state.missing.map(({ id }) => id)).toEqual(["id of new", "id of old"]);
    model.folderChanged({ answers: ({ key }) => key === call("old").miss.key, hasEntry: () => true });
    expect(model.state.missing.map(({ id }) => id)).toEqual(["id of new"]);
  });

  it("go with their file when it is renamed, or a folder around it", () => {
    const model = createSessionModel();
    model.recalledMissing([call("one")]);

    model.renamed("tests/a.test.ts", "tests/b.test.ts");
    model.renamed("tests", "spec");
    model.renamed("spec/b", "elsewhere");

    expect(model.state.missing.map(({ test }) => test?.file)).toEqual(["spec/b.test.ts"]);
  });
});
