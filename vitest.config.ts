import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { useMemory } from "./scripts/checks/in-memory.mjs";
import { LONG_PROGRAMS } from "./scripts/checks/long.mjs";
import { LongestFirst } from "./scripts/checks/longest-first.mjs";
import { PROGRAMS } from "./scripts/checks/programs.mjs";
import { missingInModules } from "./scripts/checks/without-protection.mjs";
import { dropForeign } from "./scripts/host/environment.mjs";

dropForeign();
useMemory();

const others = ["test/host/**", "test/installed/**", "test/runners/**", "**/node_modules/**"];

const kinds = [
  { name: "unit", include: ["test/**/*.test.ts"], exclude: [...others, ...PROGRAMS, ...LONG_PROGRAMS] },
  { name: "programs", include: PROGRAMS, exclude: [...others, ...LONG_PROGRAMS] },
  { name: "long programs", include: LONG_PROGRAMS, exclude: others },
];
/** The first two in one run: they share processes that loaded the sources, and compute while programs are waited for. */
const together = { name: "quick", include: ["test/**/*.test.ts"], exclude: [...others, ...LONG_PROGRAMS] };

export default defineConfig({
  plugins: missingInModules(),
  test: {
    projects: (process.env["TEST_TOGETHER"] === "1" ? [together] : kinds).map((test) => ({
      extends: true,
      test,
    })),
    // More than there are cores: tests of processes and of the disk wait as long as they compute.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // A process for each of two hundred files would spend a third of the time on loading the same sources.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Transformed sources are cached in node_modules by their content, so that one file starts in half the time. A planted
    // fault changes the source that is loaded and not the file's content.
    experimental: { fsModuleCache: process.env["TAPEDECK_WITHOUT"] === undefined },
    // Only tests that hang are ended, because a busy machine takes ten times as long as a quiet one.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // The default of a second is too short on a busy machine.
    expect: { poll: { timeout: 60_000 } },
  },
});
