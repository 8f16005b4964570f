import { describe, expect, it } from "vitest";
import type { CallEvent, TestRef } from "../../../src/core/call/call.ts";
import { listFindingActions } from "../../../src/editor/findings/finding-actions-model.ts";
import { Findings, type OpenFinding } from "../../../src/editor/findings/findings-model.ts";
import { aCall, aMissing, aTest, keyOf } from "../call-events.ts";

const miss = (prompt: string, test?: TestRef): CallEvent =>
  aCall(prompt, { outcome: "miss", ...(test && { test }) });
const refused = (prompt: string, changes: Partial<CallEvent> = {}): CallEvent =>
  aCall(prompt, { mode: "record", outcome: "forwarded", upstreamStatus: 401, ...changes });
const madeUp = (prompt: string, execution: string): CallEvent =>
  aCall(prompt, {
    outcome: "defaulted",
    mode: "lenient",
    test: aTest("answers", execution),
    madeUp: {
      by: "reply 1 of the script",
      reply: { status: 200, body: new Uint8Array() },
      call: aMissing(prompt).miss,
    },
  });

function after(...events: readonly CallEvent[]): Findings {
  const findings = new Findings();
  for (const event of events) findings.addCall(event, 1);
  return findings;
}
const told = ({ all }: Findings): readonly string[] => all.map(({ kind, label }) => `${kind} ${label}`);

describe("what is wrong with calls", () => {
  it("is listed newest first, once for each call of each test, with how often", () => {
    const [one, two] = [aTest("a", "1"), aTest("b", "2")];
    const findings = after(miss("one", one), miss("two", one), miss("one", two), miss("one", one));

    expect(findings.all.map(({ label, count, test }) => [label, test?.name.at(-1), count])).toEqual([
      ['"one"', "a", 2],
      ['"one"', "b", 1],
      ['"two"', "a", 1],
    ]);
  });

  it.each(["replayed", "recorded"] as const)("is over for every test when its call is %s", (outcome) => {
    const before = [miss("one", aTest("a", "1")), miss("one", aTest("b", "2")), refused("one")];

    expect(told(after(...before, aCall("one", { outcome, test: aTest("b", "3") })))).toEqual([]);
  });

  it("stays while a missing call is passed on, answered by default, or fails", () => {
    const test = aTest("a", "2");

    expect(
      told(
        after(
          miss("one", aTest("a", "1")),
          aCall("one", { outcome: "forwarded", test }),
          aCall("one", { outcome: "defaulted", test }),
          refused("one", { test }),
        ),
      ),
    ).toEqual(['failed "one"', 'missing "one"']);
  });

  it("is over when its test runs again without it, and not before: workers run a test several times at once", () => {
    const [one, two] = [aTest("a", "1"), aTest("a", "2")];
    const findings = after(
      refused("failed", { test: one }),
      miss("first", one),
      miss("first", two),
      miss("second", one),
      miss("first", one),
      miss("second", two),
      miss("other", aTest("b", "4")),
    );
    const during = told(findings).toSorted();
    findings.addCall(aCall("third", { test: aTest("a", "3") }), 1);

    expect(during).toEqual(['missing "first"', 'missing "other"', 'missing "second"']);
    expect(told(findings)).toEqual(['missing "other"']);
  });

  it("of a test without executions is over with the next stretch", () => {
    const findings = after(miss("old", aTest("a")));
    findings.addCall(aCall("new", { test: aTest("a") }), 2);

    expect(told(findings)).toEqual([]);
  });

  it("of a mocked answer is resolved when its call is recorded or its test no longer makes it", () => {
    const findings = after(madeUp("a", "1"), madeUp("b", "1"));
    const both = told(findings);
    findings.addCall(madeUp("b", "2"), 1);

    expect([both, told(findings)]).toEqual([['made-up "b"', 'made-up "a"'], ['made-up "b"']]);
    findings.addCall(aCall("b", { outcome: "recorded", test: aTest("answers", "3") }), 1);
    expect(told(findings)).toEqual([]);
  });

  it("is not listed for a recording that cannot be read, which has its own row", () => {
    const { miss: _, ...broken } = miss("one");

    expect(told(after({ ...broken, reason: "The recording cannot be read." }))).toEqual([]);
  });

  it("is removed when a recording answers it, a person dismisses it, or its tests begin again", () => {
    const test = aTest("c", "1");
    const findings = after(miss("one"), miss("two"), refused("three", { test }), refused("four"));

    findings.removeAnswered((call) => call.key === keyOf("one"));
    findings.dismiss(findings.all.filter(({ label }) => label === '"two"'));
    findings.beginTest({ file: test.file, name: ["chat"] });

    expect(told(findings)).toEqual(['failed "four"']);
    findings.beginTest(undefined);
    expect(told(findings)).toEqual([]);
  });

  it("is a host that was called without Tapedeck, or a test without calls until one arrives", () => {
    const findings = new Findings();
    const test = aTest("a", "1");
    const reason = { cause: "key", why: "No key.", mend: "Set it.", variable: "OPENAI_API_KEY" } as const;

    findings.addBypassed({ host: "api.openai.com", reason: "it speaks HTTP/2", test }, 5);
    findings.addUnreached(aTest("b"), "chat › b", reason, 5);
    const before = findings.all.map(({ kind, label, repair }) => [kind, label, repair]);
    findings.addCall(aCall("one", { test: aTest("b", "1") }), 1);

    expect(before).toEqual([
      ["unreached", "chat › b", "key"],
      ["bypassed", "api.openai.com", "client"],
    ]);
    expect(told(findings)).toEqual(["bypassed api.openai.com"]);
  });

  it("keeps the newest 200 failed calls, and every missing call", () => {
    const many = Array.from({ length: 205 }, (_, at) => [miss(`miss ${at}`), refused(`fail ${at}`)]);
    const findings = after(...many.flat());

    expect(findings.all.filter(({ kind }) => kind === "missing")).toHaveLength(205);
    expect(findings.all.filter(({ kind }) => kind === "failed")).toHaveLength(200);
  });
});

describe("findings that return, such as by undoing a dismissal", () => {
  const test = { file: "tests/a.test.ts", name: ["a"], line: 3, at: { file: "src/ask.ts", line: 9 } };
  const [failed] = after(refused("failed", { test })).all;
  const all: readonly OpenFinding[] = [
    aMissing("one", { test }),
    aMissing("two — \u{1F600}"),
    ...(failed ? [failed] : []),
  ];

  it("are listed below newer ones, and are resolved like others", () => {
    const findings = after(miss("new"));
    findings.restore(all);

    expect(findings.all.map(({ label, test: of }) => `${label} ${of?.file ?? ""}`)).toEqual([
      '"new" ',
      '"one" tests/a.test.ts',
      '"two — \u{1F600}" ',
      '"failed" tests/a.test.ts',
    ]);
    findings.addCall(aCall("failed", { outcome: "recorded" }), 1);
    expect(told(findings)).not.toContain('failed "failed"');
  });
});

describe("the actions of a finding", () => {
  const trusted = { mayRun: true };
  const restricted = { mayRun: false };
  const titles = (finding: OpenFinding | undefined, facts = trusted): readonly string[] =>
    finding === undefined ? [] : listFindingActions(finding, facts).map(({ title }) => title);
  const test = { ...aTest("answers"), runner: "vitest" };
  const near = aMissing("one", { test });
  const withRule = {
    ...near,
    miss: {
      ...near.miss,
      nearest: {
        entry: "calls/a.json",
        key: keyOf("b"),
        recordedAt: "2026-01-01T00:00:00Z",
        differences: [],
      },
    },
  };

  it("is everything for a missing call with a nearest recording and a rule, in the order of use", () => {
    expect(titles(withRule)).toEqual([
      "Record this call",
      "Record the test",
      "Compare with nearest",
      "Accept nearest as is",
      "Ignore this difference…",
      "Write the reply",
      "Go to test",
    ]);
  });

  it("runs nothing in a workspace that is not trusted", () => {
    expect(titles(withRule, restricted)).toEqual(["Compare with nearest", "Go to test"]);
    expect(titles(aMissing("one"), restricted)).toEqual([]);
    expect(titles(after(refused("one")).all[0], restricted)).toEqual(["Dismiss"]);
  });

  it("records a call of no known test, or of a script, when it is made again", () => {
    const other = ["Record when made again", "Write the reply"];

    expect(titles(aMissing("one"))).toEqual(other);
    expect(titles(aMissing("one", { test: { file: "scripts/ask.ts", name: [] } }))).toEqual([
      ...other,
      "Go to test",
    ]);
  });

  it("has only actions without a request for MetaGPT's cache", () => {
    expect(titles({ ...withRule, miss: { ...withRule.miss, cacheFile: "rsp_cache.json" } })).toEqual([
      "Record the test",
      "Compare with nearest",
      "Accept nearest as is",
      "Go to test",
    ]);
  });

  it.each<[string, Partial<CallEvent>, string]>([
    ["a key that is refused", { upstreamStatus: 401 }, "Set Provider Key…"],
    ["an upstream that cannot be reached", { failedWith: 404 }, "Open Upstreams Setting"],
    ["an upstream that breaks off", { failedWith: 502 }, "Open Upstreams Setting"],
    ["a limit of the run", { outcome: "refused", failedWith: 402 }, "Open Limits Setting"],
    ["a limit of the provider", { upstreamStatus: 429 }, "Record the test"],
  ])("begins with the repair of %s", (_, changes, first) => {
    const { upstreamStatus: __, ...call } = refused("one", { test });

    expect(titles(after({ ...call, ...changes }).all[0])[0]).toBe(first);
  });
});
