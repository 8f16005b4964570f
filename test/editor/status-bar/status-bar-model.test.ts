import { describe, expect, it } from "vitest";
import { NOTHING_SPENT } from "../../../src/core/call/spending.ts";
import { MODES } from "../../../src/core/call/call.ts";
import { COMMANDS } from "../../../src/editor/window/ids.ts";
import {
  LINKED_COMMANDS,
  type StatusInput,
  describeStatusBar,
} from "../../../src/editor/status-bar/status-bar-model.ts";

function aStatus(changes: Partial<StatusInput> = {}): StatusInput {
  return {
    status: { kind: "ready" },
    mode: "strict",
    counts: {},
    spent: NOTHING_SPENT,
    missing: 0,
    runs: [],
    requests: 0,
    unreached: undefined,
    origin: "http://127.0.0.1:4000",
    notes: [],
    flash: undefined,
    ...changes,
  };
}

describe("the status bar item", () => {
  it.each([
    ["strict", "$(play-circle) Strict", undefined],
    ["record", "$(record) Record", "warning"],
    ["refresh", "$(cloud-download) Refresh", "warning"],
    ["live", "$(cloud) Live", "warning"],
    ["lenient", "$(beaker) Lenient", undefined],
  ] as const)("shows %s, and warns only if calls can leave the machine", (mode, text, background) => {
    const item = describeStatusBar(aStatus({ mode }));

    expect({ text: item.text, background: item.background, command: item.command }).toEqual({
      text,
      background,
      command: COMMANDS.toggleMode,
    });
  });

  it("shows in its tooltip the cost of the run, and nothing without cost", () => {
    const spent = { ...NOTHING_SPENT, calls: 3, inputTokens: 1_000, outputTokens: 200, costUsd: 0.012 };

    expect(describeStatusBar(aStatus({ mode: "record", spent })).tooltip).toContain(
      "Spent: 3 calls, 1,200 tokens, about \\$0.012.",
    );
    expect(describeStatusBar(aStatus()).tooltip).not.toContain("Spent");
  });

  it("counts the missing calls in strict mode, without a color", () => {
    const item = describeStatusBar(aStatus({ missing: 2 }));

    expect(item.text).toBe("$(play-circle) Strict $(warning) 2");
    expect(item.background).toBeUndefined();
  });

  it("shows that a run records while the workspace stays strict", () => {
    const one = describeStatusBar(aStatus({ runs: ["record", "strict"] }));
    const two = describeStatusBar(aStatus({ runs: ["record", "refresh"] }));

    expect(one.text).toBe("$(play-circle) Strict $(record~spin) 1 run");
    expect(one.background).toBeUndefined();
    expect(two.text).toBe("$(play-circle) Strict $(record~spin) 2 runs");
  });

  it("is off with the reason, and a color only if something failed", () => {
    const off = describeStatusBar(
      aStatus({ status: { kind: "off", reason: "Restricted Mode: look, don't run." } }),
    );
    const failed = describeStatusBar(aStatus({ status: { kind: "failed", reason: "No port." } }));

    expect(off.text).toBe("$(circle-slash) Tapedeck");
    expect(off.tooltip).toContain("Restricted Mode");
    expect(off.background).toBeUndefined();
    expect(failed.background).toBe("error");
    expect(failed.tooltip).toContain("No port.");
    expect(failed.command).toBe(COMMANDS.restartServer);
  });

  it("has the mode, the upstream, and the missing calls in its accessible text", () => {
    const strict = describeStatusBar(aStatus({ missing: 3 }));
    const record = describeStatusBar(aStatus({ mode: "record" }));

    expect(strict.accessibilityLabel).toBe("Tapedeck, Strict mode, nothing leaves this machine, 3 missing");
    expect(record.accessibilityLabel).toBe("Tapedeck, Record mode, calls can leave this machine");
  });
});

describe("its tooltip", () => {
  it("has the run's counts, the calls that reached the server, and links to the other four modes", () => {
    const { tooltip } = describeStatusBar(
      aStatus({ counts: { replayed: 41, miss: 2 }, requests: 43, missing: 2 }),
    );

    expect(tooltip).toContain("This run: 2 missing, 41 replayed.");
    expect(tooltip).toContain("43 requests reached `http://127.0.0.1:4000` so far.");
    expect(tooltip).toContain(`command:${COMMANDS.goToMissing}`);
    const linked = MODES.filter((mode) => tooltip.includes(encodeURIComponent(JSON.stringify([mode]))));
    expect(linked).toEqual(["record", "refresh", "lenient", "live"]);
  });

  it("reports unreached tests and other conditions", () => {
    const { tooltip } = describeStatusBar(
      aStatus({
        unreached: "npm test",
        notes: ["The setting tapedeck.mode has to be one of strict, record."],
      }),
    );

    expect(tooltip).toContain("npm test ended without a call that reached Tapedeck.");
    expect(tooltip).toContain("has to be one of strict");
  });

  it("shows names as text: no markup and no command of theirs", () => {
    const { tooltip } = describeStatusBar(aStatus({ unreached: "[x](command:evil) <b>$(flame) http://x" }));

    expect(tooltip).not.toContain("[x](command:evil)");
    expect(tooltip).not.toContain("<b>");
    expect(tooltip).not.toMatch(/(?<!\\)\$\(flame/u);
    expect(tooltip).not.toContain("http://x");
  });

  it("links to allowed commands only", () => {
    const states = [
      aStatus({ missing: 1, runs: ["record"] }),
      aStatus({ status: { kind: "off" } }),
      aStatus({ status: { kind: "failed" } }),
    ];

    const linked = states.flatMap((state) =>
      [...describeStatusBar(state).tooltip.matchAll(/\(command:([\w.]+)/gu)].map((match) => match[1]),
    );

    expect(linked.length).toBeGreaterThan(5);
    expect(linked.filter((id) => !LINKED_COMMANDS.some((allowed) => allowed === id))).toEqual([]);
  });
});

describe("the status bar item in a window with several folders", () => {
  const folder = {
    name: "web*",
    missing: [
      ["api", 2],
      ["web*", 1],
      ["docs", 0],
    ],
  } as const;

  it("names the folder that it is about, in every state", () => {
    const ready = describeStatusBar(aStatus({ folder, missing: 1 }));
    const off = describeStatusBar(aStatus({ folder, status: { kind: "off", reason: "Turned off." } }));

    expect(ready.text).toBe("$(play-circle) Strict · web* $(warning) 1");
    expect(ready.accessibilityLabel).toContain("in folder web*");
    expect(off.text).toBe("$(circle-slash) Tapedeck · web*");
    expect(off.tooltip).toContain(String.raw`off in web\*`);
  });

  it("counts in its tooltip the missing calls of all of them, as text", () => {
    const { tooltip } = describeStatusBar(aStatus({ folder }));

    expect(tooltip).toContain(String.raw`Tapedeck: Strict in web\*`);
    expect(tooltip).toContain(String.raw`Missing in all folders: 3 (2 in api, 1 in web\*).`);
  });

  it("takes no folder's name for an icon", () => {
    const { text } = describeStatusBar(aStatus({ folder: { name: "$(flame)", missing: [] } }));

    expect(text).toBe("$(play-circle) Strict · $ (flame)");
  });
});
