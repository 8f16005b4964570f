import { describe, expect, it } from "vitest";
import type { CallEvent, TestRef } from "../../../src/core/call/call.ts";
import { listFindingActions } from "../../../src/editor/findings/finding-actions-model.ts";
import { Findings, type OpenFinding } from "../../../src/editor/findings/findings-model.ts";
import { aCall, aMissing, aTest, keyOf } from "../call-events.ts";

const miss = (prompt: string, test?: TestRef): CallEvent =>
  aCall(prompt, { outcome: "miss", ...(test && { test }) });
const refused = (prompt: string, changes: Partial<CallEvent> = {}): CallEvent =>
  aCall(prompt, { mode: "record", outcome: "forwarded", upstreamStatus: 401, ...changes });
const madeUp = (prompt: string): Partial<CallEvent> => ({
  outcome: "defaulted",
  mode: "lenient",
  madeUp: {
    by: "reply 1 of the script",
    reply: { status: 200, body: new Uint8Array() },
    call: aMissing(prompt).miss,
  },
});

/** A call in short: what became of it, its prompt, and its test with the execution, such as "miss one a1". */
function callOf(short: string): CallEvent {
  const [what = "", prompt = "", , title, execution] =
    /^(\S+) (\S+)( ([a-z])(\d?))?$/.exec(short)?.slice(1) ?? [];
  const test = title === undefined ? {} : { test: aTest(title, execution === "" ? undefined : execution) };
  if (what === "refused") return refused(prompt, test);
  if (what === "made-up") return aCall(prompt, { ...madeUp(prompt), ...test });
  return aCall(prompt, { outcome: what as CallEvent["outcome"], ...test });
}

/** After calls, separated by bars; a double bar begins a stretch. */
function played(script: string): Findings {
  const findings = new Findings();
  for (const [stretch, calls] of script.split(" || ").entries())
    for (const call of calls.split(" | ")) findings.addCall(callOf(call), stretch + 1);
  return findings;
}
function after(...events: readonly CallEvent[]): Findings {
  const findings = new Findings();
  for (const event of events) findings.addCall(event, 1);
  return findings;
}
const told = ({ all }: Findings): readonly string[] => all.map(({ kind, label }) => `${kind} ${label}`);
const shown = (findings: Findings): string => told(findings).join(", ").replaceAll('"', "");

const WORKERS =
  "refused failed a1 | miss first a1 | miss first a2 | miss second a1 | miss first a1 | miss second a2 | miss other b4";
const MADE_UP = "made-up a m1 | made-up b m1";

describe("what is wrong with calls", () => {
  it("is listed newest first, once for each call of each test, with how often", () => {
    const findings = played("miss one a1 | miss two a1 | miss one b2 | miss one a1");

    expect(findings.all.map(({ label, count, test }) => [label, test?.name.at(-1), count])).toEqual([
      ['"one"', "a", 2],
      ['"one"', "b", 1],
      ['"two"', "a", 1],
    ]);
  });

  it.each([
    [
      "is over for every test when its call is replayed",
      "miss one a1 | miss one b1 | refused one | replayed one b3",
      "",
    ],
    [
      "is over for every test when its call is recorded",
      "miss one a1 | miss one b1 | refused one | recorded one b3",
      "",
    ],
    [
      "stays while a missing call is passed on, answered by default, or fails",
      "miss one a1 | forwarded one a2 | defaulted one a2 | refused one a2",
      "failed one, missing one",
    ],
    ["is over when its test runs again without it", `${WORKERS} | replayed third a3`, "missing other"],
    [
      "stays while workers run its test several times at once",
      WORKERS,
      "missing other, missing second, missing first",
    ],
    ["of a test without executions is over with the next stretch", "miss old a || replayed new a", ""],
    ["is a mocked answer", MADE_UP, "made-up b, made-up a"],
    ["is no mocked answer that its test no longer gets", `${MADE_UP} | made-up b m2`, "made-up b"],
    ["is no mocked answer of a call that is recorded", `${MADE_UP} | made-up b m2 | recorded b m3`, ""],
  ])("%s", (_, script, findings) => {
    expect(shown(played(script))).toBe(findings);
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

  it("is removed when its test passed without making it again, alone or in its suite", () => {
    const [own, again, other] = [aTest("c", "1"), aTest("d", "1"), { file: "tests/b.test.ts", name: ["c"] }];
    const found = () => after(miss("one", own), miss("two", again), miss("three", other));

    const alone = found();
    alone.endTest(own, []);
    const suite = found();
    suite.endTest({ file: own.file, name: ["chat"] }, [miss("two", again)]);

    expect([told(alone), told(suite)]).toEqual([
      ['missing "three"', 'missing "two"'],
      ['missing "three"', 'missing "two"'],
    ]);
  });

  it("is a host that was called without Tapedeck, or a test without calls until one arrives", () => {
    const findings = new Findings();
    const test = aTest("a", "1");
    const reason = { cause: "key", reason: "No key.", fix: "Set it.", variable: "OPENAI_API_KEY" } as const;

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
  const withNearest = {
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
  const withRule = { ...withNearest, hasRules: true as const };

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

  it("ignores a difference only if a rule can", () => {
    expect(titles(withNearest)).not.toContain("Ignore this difference…");
    const findings = played("miss one a1 | miss two a1");

    findings.noteRules(keyOf("one"));

    expect(findings.all.map((one) => ("hasRules" in one ? one.hasRules : false))).toEqual([false, true]);
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
    expect(titles({ ...withNearest, miss: { ...withNearest.miss, cacheFile: "rsp_cache.json" } })).toEqual([
      "Record the test",
      "Compare with nearest",
      "Accept nearest as is",
      "Go to test",
    ]);
  });

  it.each<[string, Partial<CallEvent>, string]>([
    ["a key that is refused", { upstreamStatus: 401 }, "Set Provider Key…"],
    [
      "an upstream that cannot be reached",
      { failedWith: { code: "tapedeck_upstream", status: 404 } },
      "Open Upstreams Setting",
    ],
    [
      "an upstream that breaks off",
      { failedWith: { code: "tapedeck_upstream", status: 502 } },
      "Open Upstreams Setting",
    ],
    [
      "a limit of the run",
      { outcome: "refused", failedWith: { code: "tapedeck_budget", status: 402 } },
      "Open Limits Setting",
    ],
    ["a limit of the provider", { upstreamStatus: 429 }, "Record the test"],
  ])("begins with the repair of %s", (_, changes, first) => {
    const { upstreamStatus: __, ...call } = refused("one", { test });

    expect(titles(after({ ...call, ...changes }).all[0])[0]).toBe(first);
  });
});
