import { describe, expect, it } from "vitest";
import { recalledMissing, packMissing } from "../../../src/editor/session/missing-memory-model.ts";
import { createSessionModel } from "../../../src/editor/session/session-model.ts";
import { aMiss } from "../call-events.ts";
import type { MissingCall } from "../../../src/editor/session/missing-calls-model.ts";

const call = (prompt: string, test = "a"): MissingCall => ({
  id: `id of ${prompt}`,
  miss: { ...aMiss(prompt, "recorded"), model: "gpt-4o-mini" },
  test: { file: "tests/a.test.ts", name: [test], line: 3, at: { file: "src/ask.ts", line: 9 } },
  at: 5,
  count: 2,
});

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
    expect(packMissing(Array.from({ length: 80 }, (_, at) => call(`call ${at}`)))).toHaveLength(50);
  });

  it.each([
    ["nothing", undefined],
    ["a text", "x"],
    ["other things", [null, 1, {}, { id: "a", at: 1, count: 1, miss: {} }]],
    [
      "a call with a key that is none",
      [{ ...(throughJson(packMissing([call("one")])) as [object])[0], miss: { key: "x" } }],
    ],
  ])("that are %s are none", (_what, value) => {
    expect(recalledMissing(value)).toEqual([]);
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
