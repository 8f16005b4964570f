import { describe, expect, it } from "vitest";
import { shortenKey } from "../../../src/core/cassette/address.ts";
import type { CallEvent } from "../../../src/core/call/call.ts";
import {
  formatRunFooter,
  formatRunHeader,
  type RunSummary,
} from "../../../src/editor/test-runs/run-text-model.ts";
import { aCall } from "../call-events.ts";
import { missed, nearest } from "../test-code/a-test-file.ts";

const passed = { how: "exited", code: 0 } as const;
const failed = { how: "exited", code: 1 } as const;

/** The lines of the footer without colors, without the blank ones and the last one about keys. */
function footer(events: readonly CallEvent[], summary: Partial<RunSummary> = {}): readonly string[] {
  const lines = formatRunFooter({ end: passed, events, ...summary }).split("\n");
  // eslint-disable-next-line no-control-regex
  const plain = lines.map((line) => line.replaceAll(/\u001b\[\d+m/gu, "")).filter(Boolean);
  expect(plain.at(-1)).toBe("Press any key to close the terminal.");
  return plain.slice(0, -1);
}

function notKept(reason: string): CallEvent {
  return aCall("one", { outcome: "forwarded", mode: "record", reason });
}

describe("above a test's output", () => {
  it("are the task, its folder, and the command as it could be typed", () => {
    const command = {
      command: "node",
      args: ["v.mjs", "run", "-t", "^it's (fine)$", ""],
      cwd: "/home/me/work",
    };

    expect(formatRunHeader('Recording "it\'s (fine)"', command)).toBe(
      `\u001b[2mRecording "it's (fine)"\n/home/me/work> node v.mjs run -t '^it'\\''s (fine)$' ''\u001b[0m\n\n`,
    );
  });
});

describe("below a test's output", () => {
  it("is its result, with the counts of its calls", () => {
    const calls = [aCall("one"), aCall("two", { outcome: "recorded" }), aCall("three")];

    expect(footer(calls)).toEqual(["The test passed · 1 recorded, 2 replayed"]);
    expect(footer(calls, { end: failed })).toEqual([
      "The test failed with exit code 1 · 1 recorded, 2 replayed",
    ]);
    expect(footer(calls, { end: { how: "stopped" } })).toEqual([
      "The test was stopped · 1 recorded, 2 replayed",
    ]);
  });

  it("is green only if it passed and nothing is missing", () => {
    const missing = aCall("two", { outcome: "miss" });
    const color = (events: readonly CallEvent[], end: RunSummary["end"]): string =>
      formatRunFooter({ end, events }).slice(1, 6);

    expect(color([aCall("one")], passed)).toBe("\u001b[32m");
    expect(color([aCall("one")], failed)).toBe("\u001b[31m");
    expect(color([missing], passed)).toBe("\u001b[31m");
  });

  it("are the missing calls, each once, and only a few of very many", () => {
    const { miss } = missed("Hi", undefined, nearest("temperature 0.2 → 0.7"));
    const calls = Array.from({ length: 3 }, () => aCall("Hi", { outcome: "miss", miss }));
    const many = Array.from({ length: 20 }, (_, at) => aCall(`call ${at}`, { outcome: "miss" }));

    expect(footer(calls, { end: failed })).toEqual([
      "The test failed with exit code 1 · 3 missing",
      `✘ No recording for this gpt-4o-mini call ("Hi"), key ${shortenKey(miss.key)}`,
      "  Differs from the nearest recording (7265636f…): temperature 0.2 → 0.7.",
    ]);
    expect(footer(many, { end: failed })).toHaveLength(18);
    expect(footer(many, { end: failed }).at(-1)).toBe("… and 12 more");
  });

  it("is the reason why an answer was not recorded, and advice if there is any", () => {
    const reason = "The stream ended without its terminal event; it was forwarded and not recorded.";

    expect(footer([notKept(reason)]).at(-1)).toBe(`! ${reason}`);
  });

  it("is the cause why no call arrived", () => {
    const unreached = { cause: "mocked", why: "The tests load nock.", mend: "Take it out." } as const;

    expect(footer([], { unreached })).toEqual([
      "The test passed · no calls",
      "No call reached Tapedeck. The tests load nock. Take it out.",
    ]);
    expect(footer([], { end: { how: "stopped" } })).toEqual(["The test was stopped · no calls"]);
  });
});
