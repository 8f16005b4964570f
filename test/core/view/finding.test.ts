import { describe, expect, it } from "vitest";
import type { CallEvent } from "../../../src/core/call/call.ts";
import {
  addFinding,
  bypassFinding,
  createFindingsOfCall,
  describeFinding,
  type Finding,
} from "../../../src/core/view/finding.ts";
import { createRunEvent } from "../../../src/cli/report/run-report.ts";
import { aCall, aMiss, aTest } from "../../editor/call-events.ts";

const found = (changes: Partial<CallEvent>, reader: "editor" | "terminal" = "editor"): readonly Finding[] =>
  createFindingsOfCall(aCall("one", changes), reader);

describe("what is wrong with a call", () => {
  const reply = { status: 200, body: new Uint8Array() };
  const CALLS: Readonly<Record<string, Partial<CallEvent>>> = {
    "no recording": { outcome: "miss", miss: aMiss("one") },
    "a made-up answer": {
      outcome: "defaulted",
      madeUp: { by: "the default reply", call: aMiss("one"), reply },
    },
    "a fault on purpose": { outcome: "replayed", fault: "429" },
    "a key that its provider refuses": { outcome: "forwarded", upstreamStatus: 401 },
    "a secret in it that fails the run": {
      outcome: "forwarded",
      upstreamStatus: 200,
      failsRun: true,
      reason: "It holds a secret.",
    },
    "a disk without room": { outcome: "forwarded", upstreamStatus: 200, lost: "No space left." },
  };

  it("is as the page has it", async () => {
    const page = Object.entries(CALLS).flatMap(([title, changes]) =>
      found(changes).map(({ kind, brief, repair, what, why, fix }) =>
        [`# ${title}: ${[kind, brief, repair].filter(Boolean).join(", ")}`, what, why, fix, ""].join("\n"),
      ),
    );

    // `vitest FILE -u` writes the page anew.
    await expect(page.join("\n")).toMatchFileSnapshot("findings.txt");
  });

  it("is a missing call whose values match by origin, also in the report of a run", () => {
    const miss = aMiss("one", "two");
    const request = { ...miss.request, values: [{ text: "41234", origin: "port 1" }] };
    const call = aCall("one", { outcome: "miss", miss: { ...miss, request } });

    const [finding] = createFindingsOfCall(createRunEvent(call), "terminal");

    expect(finding?.why).toContain("Matched by origin: 41234 (port 1).");
  });

  it("is a recording that cannot be read", () => {
    const { miss: _, ...call } = aCall("one", { outcome: "miss", entry: "calls/openai/ab.json" });

    expect(createFindingsOfCall({ ...call, reason: "It is not JSON." }, "editor")).toMatchObject([
      { kind: "broken", entry: "calls/openai/ab.json", why: "It is not JSON." },
    ]);
  });

  it("is nothing when it was replayed, recorded, or passed on as asked", () => {
    expect(found({ outcome: "replayed" })).toEqual([]);
    expect(found({ outcome: "recorded", upstreamStatus: 200 })).toEqual([]);
    expect(found({ outcome: "forwarded", upstreamStatus: 200, reason: "It is a stream." })).toEqual([]);
  });

  it("has the key and a command when it is read in a terminal", () => {
    const miss = aMiss("one");
    const [finding] = found({ outcome: "miss", mode: "strict", miss }, "terminal");

    expect(finding && describeFinding(finding)).toContain(miss.key.slice("sha256:".length, 12));
    expect(finding?.fix).toContain("npx tapedeck run --mode record");
  });

  it("has one id for one test, and counts how often it happened", () => {
    const findings = new Map<string, Finding>();
    const missed = { outcome: "miss", miss: aMiss("one") } as const;
    for (const test of [aTest("a", "1"), aTest("b", "2"), aTest("a", "3")])
      for (const one of found({ ...missed, test })) addFinding(findings, one);

    expect([...findings.values()].map(({ test, count }) => [test?.name.at(-1), count])).toEqual([
      ["b", 1],
      ["a", 2],
    ]);
  });

  it("is a host that was called without Tapedeck", () => {
    const call = { host: "api.openai.com:443", reason: "it speaks HTTP/2", pid: 7, command: "node x.js" };

    expect(bypassFinding(call, 5)).toMatchObject({
      kind: "bypassed",
      label: "api.openai.com:443",
      what: "A call to api.openai.com:443 bypassed Tapedeck.",
      why: "A call to api.openai.com:443 bypassed Tapedeck in process 7 (node x.js): it speaks HTTP/2",
    });
  });
});
