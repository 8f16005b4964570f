import { expect, test } from "vitest";
import { faultRunOf } from "../../../src/editor/mocks/faults-model.ts";
import { faultOf, OFFERED_FAULTS } from "../../../src/editor/mocks/faults-model.ts";
import { faultInShort } from "../../../src/core/config/read-faults.ts";
import { SessionModel } from "../../../src/editor/session/session-model.ts";
import { aCall, aTest, entryOf } from "../call-events.ts";

const test1 = aTest("answers", "1");
const fault = { name: "rate-limit", text: "a 429 first" };
const ended = { test: test1, fault, ended: "passed", at: 5 } as const;

test("calls with a fault change neither the usage of recordings nor the missing calls", () => {
  const model = new SessionModel();
  model.called(aCall("one", { test: test1 }));
  model.called(aCall("two", { test: test1, outcome: "miss" }));
  model.runStarted({ id: "faulty", mode: "strict", test: test1, isFaulty: true });
  const again = aTest("answers", "2");
  model.called(aCall("three", { run: "faulty", test: again, outcome: "miss" }));
  model.called(aCall("four", { run: "faulty", test: again }));
  model.runEnded("faulty");

  expect(model.isStale(entryOf("one"))).toBe(false);
  expect(model.entriesOf(test1)).toEqual([entryOf("one")]);
  expect(model.findings.map(({ label }) => label)).toEqual(['"two"']);
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
  const row = { subject: { kind: "finding", finding: faultRunOf(ended, []) }, children: () => [] };
  expect(faultOf([{ uri: "file:///a", line: 1 }, "slow"])?.text).toBe("slow tokens");
  expect(faultOf([row])?.name).toBe("rate-limit");
  expect(faultOf([undefined, "none"])).toBeUndefined();
});
