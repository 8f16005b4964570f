import { defineConfig } from "vitest/config";
import { dropForeign } from "../../scripts/host/environment.mjs";

dropForeign();

// Each test starts several programs; two at a time is what a small machine can do.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    maxWorkers: 2,
    isolate: false,
    experimental: { fsModuleCache: true },
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
