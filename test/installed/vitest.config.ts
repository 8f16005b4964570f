import { defineConfig } from "vitest/config";
import { dropForeign } from "../../scripts/host/environment.mjs";

dropForeign();

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    globalSetup: "./support/install-package.ts",
    maxWorkers: 2,
    experimental: { fsModuleCache: true },
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
