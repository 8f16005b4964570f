import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { dropForeign } from "../../scripts/host/environment.mjs";

dropForeign();

const test = {
  include: ["*.test.ts"],
  isolate: false,
  testTimeout: 600_000,
  hookTimeout: 600_000,
};

// Each test starts several programs; two at a time is what a small machine can do.
export default defineConfig({
  test: {
    maxWorkers: 2,
    experimental: { fsModuleCache: true },
    projects: [
      { test: { ...test, name: "runners", root: import.meta.dirname } },
      {
        test: {
          ...test,
          name: "installed",
          root: join(import.meta.dirname, "..", "installed"),
          globalSetup: "./support/install-package.ts",
        },
      },
    ],
  },
});
