import { expect, it } from "vitest";
import {
  type TerminalSources,
  computeTerminalChange,
  describeTerminalState,
} from "../../../src/editor/environment/environment-model.ts";

const PATHS = { name: "PYTHONPATH", how: "prepend", value: "/hooks", separator: ":" } as const;
const HOSTS = { name: "NO_PROXY", how: "append", value: "127.0.0.1", separator: "," } as const;
const OPTIONS = { name: "NODE_OPTIONS", how: "append", value: "--require=/a.cjs", separator: " " } as const;

/** Returns the resulting value in a terminal, composed as VS Code does. */
function after(
  change: Parameters<typeof computeTerminalChange>[0],
  before: string | undefined,
): string | undefined {
  const taken = computeTerminalChange(change, before === undefined ? "unset" : "set");
  if (taken === undefined) return before;
  if (taken.how === "replace") return taken.value;
  return taken.how === "append" ? (before ?? "") + taken.value : taken.value + (before ?? "");
}

it("no list of a terminal gets an empty entry, whether it was set or not", () => {
  expect([after(PATHS, undefined), after(PATHS, "/mine")]).toEqual(["/hooks", "/hooks:/mine"]);
  expect([after(HOSTS, undefined), after(HOSTS, "corp")]).toEqual(["127.0.0.1", "corp,127.0.0.1"]);
  expect(after(OPTIONS, "--inspect")).toBe("--inspect --require=/a.cjs");
});

it("a list that a task or a profile may set is left to it, and options are joined in any case", () => {
  expect(computeTerminalChange(PATHS, "unknown")).toBeUndefined();
  expect(computeTerminalChange(OPTIONS, "unknown")).toMatchObject({ how: "append" });
});

it('a "*" for all hosts stays alone', () => {
  expect(after({ ...HOSTS, value: "*" }, "*")).toBe("*");
  expect(after({ ...HOSTS, name: "no_proxy", value: "*" }, undefined)).toBe("*");
});

const NOTHING: TerminalSources = { inherited: {}, settings: {}, others: [], separator: ":" };
const state = (sources: Partial<TerminalSources>) =>
  describeTerminalState("PYTHONPATH", { ...NOTHING, ...sources });

it.each<[string, Partial<TerminalSources>, string]>([
  ["nothing anywhere", {}, "unset"],
  ["an empty one", { inherited: { PYTHONPATH: "" } }, "unset"],
  ["nothing but separators", { inherited: { PYTHONPATH: "::" } }, "unset"],
  ["one that is inherited", { inherited: { PYTHONPATH: "src" } }, "set"],
  [
    "one that the settings take away",
    { inherited: { PYTHONPATH: "src" }, settings: { PYTHONPATH: null } },
    "unset",
  ],
  ["one of the settings in the folder", { settings: { PYTHONPATH: "${workspaceFolder}" } }, "set"],
  ["one that may turn out empty", { settings: { PYTHONPATH: "${env:MINE}" } }, "unknown"],
  ["one that has more than what may be empty", { settings: { PYTHONPATH: "${env:MINE}:src" } }, "set"],
  ["a task's", { others: [[{ label: "a" }, { options: { env: { PYTHONPATH: "src" } } }]] }, "unknown"],
  ["a profile's", { others: [{ bash: { env: { PYTHONPATH: "src" } } }, null] }, "unknown"],
  [
    "a task's beside one that is inherited",
    { inherited: { PYTHONPATH: "lib" }, others: [{ env: { PYTHONPATH: "src" } }] },
    "set",
  ],
])("a terminal's variable is known of %s", (_, sources, expected) => {
  expect(state(sources)).toBe(expected);
});
