import { afterEach, describe, expect, it } from "vitest";
import {
  createCassetteFolderUnusable,
  createNoUpstream,
  createUnknownProvider,
} from "../../../src/core/base/errors.ts";
import { setOptionNames } from "../../../src/core/base/localize.ts";
import { formatMissLines } from "../../../src/core/view/miss.ts";
import { findSpentBudget } from "../../../src/core/answer/budget/limits.ts";
import { NOTHING_SPENT } from "../../../src/core/call/spending.ts";

afterEach(() => setOptionNames("options"));

const hints = (): readonly (string | undefined)[] =>
  [
    createCassetteFolderUnusable("/project/.tapedeck", "permission is denied."),
    createNoUpstream("mine"),
    createUnknownProvider("mine", ["openai"]),
    findSpentBudget({ calls: 0 }, NOTHING_SPENT, "openai"),
  ].map((failure) => failure?.hint);

describe("what to do next names", () => {
  it("options on the command line, and no settings", () => {
    expect(hints()).toEqual([
      expect.stringContaining("choose another folder with --dir."),
      "Set it with --upstream mine=https://….",
      expect.stringContaining("set its address with --upstream mine=https://….") as unknown,
      "Raise the limit with --max-calls, or start a new run.",
    ]);
  });

  it("what to do in VS Code for a missing call, and no command", () => {
    const miss = { provider: "openai", operation: "chat.completions", label: "Hi" };
    const repair = (): string => formatMissLines(miss, { key: "sha256:00" })[2];
    expect(repair()).toContain("npx tapedeck run --mode record");

    setOptionNames("settings");

    expect(repair()).toBe(
      'To record it, choose "Record" above the test in VS Code, or run it again in record mode.',
    );
  });

  it("settings in VS Code, and no options", () => {
    setOptionNames("settings");

    expect(hints()).toEqual([
      expect.stringContaining("choose another folder with the setting tapedeck.folder."),
      "Set it with the setting tapedeck.upstreams.",
      expect.stringContaining("set its address with the setting tapedeck.upstreams.") as unknown,
      "Raise the limit with the setting tapedeck.limits.calls, or start a new run.",
    ]);
  });
});
