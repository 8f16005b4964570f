import { describe, expect, it } from "vitest";
import type { CallEvent } from "../../../src/core/call.ts";
import { repairsOf } from "../../../src/editor/troubles/repairs-model.ts";
import { createTroubles, type Troubles } from "../../../src/editor/troubles/troubles-model.ts";
import { aCall, aTest } from "../call-events.ts";

const refused = (prompt: string, changes: Partial<CallEvent> = {}): CallEvent =>
  aCall(prompt, {
    mode: "record",
    outcome: "forwarded",
    upstreamStatus: 401,
    reason: "openai answered with status 401.",
    ...changes,
  });
const labels = ({ all }: Troubles): string[] => all.map(({ label }) => label);

describe("what went wrong before an answer could be kept", () => {
  it("is kept once for the same call of the same test, with how often, and in three lines", () => {
    const troubles = createTroubles();

    troubles.called(refused("one", { test: aTest("a", "1") }), 1);
    troubles.called(refused("two", { test: aTest("a", "1") }), 1);
    troubles.called(refused("one", { test: aTest("a", "1") }), 1);

    expect(troubles.all.map(({ label, count }) => [label, count])).toEqual([
      ['"one"', 2],
      ['"two"', 1],
    ]);
    expect(troubles.all[0]).toMatchObject({
      what: 'This gpt-4o-mini call failed ("one").',
      why: "openai answered with status 401.",
      fix: 'Give the right key with "Set Provider Key…", then record the test again.',
      repair: "key",
    });
  });

  it.each([
    [
      "an upstream that is down",
      { failedWith: 502, reason: "Tapedeck could not reach openai.", hint: "Check the address." },
      "address",
    ],
    [
      "a limit of the run",
      { outcome: "refused", failedWith: 402, reason: "The limit is reached." },
      "limits",
    ],
    ["a limit of the provider", { upstreamStatus: 429 }, "again"],
    [
      "a placeholder for a key",
      { outcome: "refused", failedWith: 401, reason: "It carries a placeholder key." },
      "key",
    ],
  ] as const)("says what mends %s", (_, changes, repair) => {
    const troubles = createTroubles();
    const { upstreamStatus: __, ...call } = refused("one");

    troubles.called({ ...call, ...changes }, 1);

    expect(troubles.all.map((one) => one.repair)).toEqual([repair]);
  });

  it.each([
    ["was answered", { outcome: "replayed" }],
    ["is missing, which is told elsewhere", { outcome: "miss" }],
    [
      "was passed on as it was asked to be",
      { outcome: "forwarded", upstreamStatus: 200, reason: "It holds a secret." },
    ],
  ] as const)("is nothing where a call %s", (_, changes) => {
    const troubles = createTroubles();

    troubles.called(aCall("one", changes), 1);

    expect(troubles.all).toEqual([]);
  });

  it("goes once its call is answered, its test runs again, or a person dismisses it", () => {
    const troubles = createTroubles();
    for (const prompt of ["answered", "other"])
      troubles.called(refused(prompt, { test: aTest(prompt, "1") }), 1);
    troubles.called(refused("alone"), 1);

    troubles.called(aCall("answered", { outcome: "recorded", test: aTest("answered", "1") }), 1);
    expect(labels(troubles)).toEqual(['"alone"', '"other"']);
    troubles.began({ file: "tests/chat.test.ts", name: ["chat"] });
    expect(labels(troubles)).toEqual(['"alone"']);
    troubles.dismissed(troubles.all[0]?.id ?? "");

    expect(labels(troubles)).toEqual([]);
  });

  it("is a call that passed by, with host, process and test", () => {
    const troubles = createTroubles();
    const test = aTest("a");

    troubles.passed(
      {
        host: "api.openai.com:443",
        reason: "it speaks HTTP/2",
        pid: 7,
        command: "node x.js",
        test,
      },
      5,
    );

    expect(troubles.all).toMatchObject([
      {
        kind: "bypassed",
        what: "A call to api.openai.com:443 passed Tapedeck by.",
        why: "A call to api.openai.com:443 passed Tapedeck by in process 7 (node x.js): it speaks HTTP/2",
        test,
      },
    ]);
  });

  it("is a test of which no call came, until one comes", () => {
    const troubles = createTroubles();
    const reason = {
      cause: "key",
      why: "OPENAI_API_KEY is not set.",
      mend: "Set it.",
      variable: "OPENAI_API_KEY",
    } as const;

    troubles.unreached(aTest("a"), "chat › a", reason, 5);
    const [before] = troubles.all;
    troubles.called(aCall("one", { outcome: "recorded", test: aTest("a", "1") }), 1);

    expect(before).toMatchObject({
      kind: "unreached",
      label: "chat › a",
      why: reason.why,
      repair: "key",
      provider: reason.variable,
    });
    expect(troubles.all).toEqual([]);
  });

  it("is mended by its own command first, then by recording again; by nothing where nothing may run", () => {
    const troubles = createTroubles();
    troubles.called(refused("one", { test: aTest("a", "1") }), 1);
    const [trouble] = troubles.all;
    if (!trouble) throw new Error("there is none");

    expect(repairsOf(trouble, true).map(({ title, command }) => [title, command])).toEqual([
      ["Set Provider Key…", "tapedeck.setKey"],
      ["Record This Test Again", "tapedeck.recordTest"],
    ]);
    expect(repairsOf(trouble, false)).toEqual([]);
  });
});
