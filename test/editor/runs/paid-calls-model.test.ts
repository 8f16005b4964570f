import { describe, expect, it } from "vitest";
import { createPaidCallGate, describePaidCalls } from "../../../src/editor/runs/paid-calls-model.ts";

const aCall = (scope: object = {}) => ({ provider: "openai", model: "gpt-4o", scope });

function aGate({ answers = [] as boolean[], isCi = false, asks = true } = {}) {
  let asked = 0;
  const gate = createPaidCallGate({
    isCi: () => isCi,
    asks: () => asks,
    ask: async () => answers[asked++] ?? false,
  });
  return { gate, asked: () => asked };
}

describe("the question before the first paid call of a window", () => {
  it("is asked once, also for concurrent calls, and applies to the window", async () => {
    const { gate, asked } = aGate({ answers: [true] });

    const together = await Promise.all([gate(aCall()), gate(aCall())]);
    const later = await gate(aCall());

    expect([...together, later]).toEqual([undefined, undefined, undefined]);
    expect(asked()).toBe(1);
  });

  it("is asked again in the next run after a no, and not before", async () => {
    const { gate, asked } = aGate({ answers: [false, true] });
    const run = {};

    const refused = [await gate(aCall(run)), await gate(aCall(run))];
    const next = await gate(aCall({}));

    expect(refused.map((error) => error?.code)).toEqual(["tapedeck_budget", "tapedeck_budget"]);
    expect([next, asked()]).toEqual([undefined, 2]);
  });

  it("is not asked when the user does not want it", async () => {
    const { gate, asked } = aGate({ asks: false });

    expect([await gate(aCall()), asked()]).toEqual([undefined, 0]);
  });

  it("is not shown in CI, which allows no paid calls", async () => {
    const { gate, asked } = aGate({ isCi: true, asks: false, answers: [true] });

    expect((await gate(aCall()))?.message).toContain("no paid calls are made in CI");
    expect(asked()).toBe(0);
  });

  it("names the call and the limits", () => {
    expect(describePaidCalls(aCall(), ["1,000 calls", "$10.00"])).toContain(
      "A call to openai (gpt-4o) is waiting to be sent with your key. A run can use at most 1,000 calls, $10.00.",
    );
    expect(describePaidCalls({ provider: "x", scope: {} }, [])).toContain("No limit is set");
    expect(describePaidCalls({ ...aCall(), isAhead: true }, [])).toContain(
      "The tests are about to start. Their calls to openai will be sent with your key.",
    );
  });
});
