import { expect, it } from "vitest";
import { NOTHING_SPENT } from "../../../src/core/call/spending.ts";
import { MODES } from "../../../src/core/call/call.ts";
import {
  LINKED_COMMANDS,
  type StatusInput,
  describeStatusBar,
} from "../../../src/editor/status-bar/status-bar-model.ts";

const spent = { ...NOTHING_SPENT, calls: 3, inputTokens: 1_000, outputTokens: 200, costUsd: 0.012 };
const folder = {
  name: "web*",
  missing: [
    ["api", 2],
    ["web*", 1],
    ["docs", 0],
  ],
} as const;

/** States of a window, by what changed in it. */
const STATES: Readonly<Record<string, Partial<StatusInput>>> = {
  ...Object.fromEntries(MODES.map((mode) => [`${mode} mode`, { mode }])),
  "a run that cost money": { mode: "record", spent },
  "missing calls": { missing: 2, counts: { replayed: 41, miss: 2 }, requests: 43 },
  "a run that records while the workspace stays strict": { runs: ["record", "strict"] },
  "two runs that record": { runs: ["record", "refresh"] },
  "off, with the reason": { status: { kind: "off", reason: "Restricted Mode: look, don't run." } },
  "failed, with the reason": { status: { kind: "failed", reason: "No port." } },
  "unreached tests": {
    unreached: "npm test",
    notes: ["The setting tapedeck.mode has to be one of strict, record."],
  },
  "names that would be markup or a command": { unreached: "[x](command:evil) <b>$(flame) http://x" },
  "a folder among several": { folder, missing: 1 },
  "a folder among several that is off": { folder, status: { kind: "off", reason: "Turned off." } },
  "a folder whose name would be an icon": { folder: { name: "$(flame)", missing: [] } },
};

const describe = (changes: Partial<StatusInput>) =>
  describeStatusBar({
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
  });

it("the status bar item has the text, color, command, accessible text, and tooltip of its page", async () => {
  const page = Object.entries(STATES).flatMap(([title, state]) => {
    const { text, background = "no color", command, accessibilityLabel, tooltip } = describe(state);
    return [`# ${title}`, `${text} (${background}, ${command})`, accessibilityLabel, tooltip, ""];
  });

  // `vitest FILE -u` writes the page anew.
  await expect(page.join("\n")).toMatchFileSnapshot("status-bar.txt");
});

it("its tooltip links to allowed commands only", () => {
  const linked = Object.values(STATES).flatMap((state) =>
    [...describe(state).tooltip.matchAll(/(?<!\\)\(command:([\w.]+)/gu)].map((match) => match[1]),
  );

  expect(linked.length).toBeGreaterThan(5);
  expect(linked.filter((id) => !LINKED_COMMANDS.some((allowed) => allowed === id))).toEqual([]);
});
