import { expect, test } from "vitest";
import { createFaultRuns, faultRunOf, faultRunText } from "../../../src/editor/mocks/fault-runs-model.ts";
import { faultOf, OFFERED_FAULTS } from "../../../src/editor/mocks/faults-model.ts";
import { faultInShort } from "../../../src/core/config/read-faults.ts";
import { createSessionModel } from "../../../src/editor/session/session-model.ts";
import { aCall, aTest, entryOf } from "../call-events.ts";

const test1 = aTest("answers", "1");
const ended = { test: test1, fault: "a 429 first", ended: "passed", at: 5 } as const;

test("a run with a fault is told with how many calls it hit, and what was missing", () => {
  const hit = [
    aCall("a", { fault: "429", outcome: "defaulted" }),
    aCall("a"),
    aCall("b", { outcome: "miss" }),
  ];

  expect(faultRunText(faultRunOf(ended, hit))).toBe("with a 429 first: passed, 1 of 3 calls hit, 1 missing");
  expect(faultRunText(faultRunOf(ended, [aCall("a")]))).toBe("with a 429 first: passed, no call hit");
  expect(faultRunText(faultRunOf(ended, []))).toBe("with a 429 first: passed, no call arrived");
});

test("of the same test with the same fault the last run stays", () => {
  const runs = createFaultRuns();
  runs.ended(faultRunOf(ended, []));
  runs.ended(faultRunOf({ ...ended, fault: "slow tokens" }, []));
  runs.ended(faultRunOf({ ...ended, ended: "failed" }, []));

  expect(runs.all.map((run) => [run.fault, run.ended])).toEqual([
    ["a 429 first", "failed"],
    ["slow tokens", "passed"],
  ]);
  runs.dismissed(runs.all[0]?.id ?? "");
  expect(runs.all).toHaveLength(1);
});

test("what a test does with a fault says nothing of its recordings and its missing calls", () => {
  const model = createSessionModel();
  model.called(aCall("one", { test: test1 }));
  model.called(aCall("two", { test: test1, outcome: "miss" }));
  model.runStarted({ id: "faulty", mode: "strict", test: test1, isFaulty: true });
  const again = aTest("answers", "2");
  model.called(aCall("three", { run: "faulty", test: again, outcome: "miss" }));
  model.called(aCall("four", { run: "faulty", test: again }));
  model.runEnded("faulty");

  expect(model.state.isStale(entryOf("one"))).toBe(false);
  expect(model.state.entriesOf(test1)).toEqual([entryOf("one")]);
  expect(model.state.missing.map(({ miss }) => miss.label)).toEqual(["two"]);
});

test("each offered fault is one that a plan can have, and is found by its name and by its row", () => {
  expect(OFFERED_FAULTS.map(({ faults }) => faults.map(faultInShort).join(" "))).toEqual([
    "429",
    "529",
    "cut:10",
    "disconnect:3",
    "slow:3000",
    "rate:10",
  ]);
  const row = { subject: { kind: "fault-run", run: faultRunOf(ended, []) }, children: () => [] };
  expect(faultOf([{ uri: "file:///a", line: 1 }, "slow"])?.text).toBe("slow tokens");
  expect(faultOf([row])?.name).toBe("rate-limit");
  expect(faultOf([undefined, "none"])).toBeUndefined();
});
