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

describe("what to do next names", () => {
  it.each([
    ["options", "--dir", "--upstream mine=https://…", "--max-calls"],
    [
      "settings",
      "the setting tapedeck.folder",
      "the setting tapedeck.upstreams",
      "the setting tapedeck.limits.calls",
    ],
  ] as const)("%s alone", (names, folder, upstream, limit) => {
    setOptionNames(names);
    const failures = [
      createCassetteFolderUnusable("/project/.tapedeck", "permission is denied."),
      createNoUpstream("mine"),
      createUnknownProvider("mine", ["openai"]),
      findSpentBudget({ calls: 0 }, NOTHING_SPENT, "openai"),
    ];

    expect(failures.map((failure) => failure?.hint)).toEqual([
      expect.stringContaining(`choose another folder with ${folder}.`),
      `Set it with ${upstream}.`,
      expect.stringContaining(`set its address with ${upstream}.`) as unknown,
      `Raise the limit with ${limit}, or start a new run.`,
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
});
