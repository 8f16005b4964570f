import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { dropForeign } from "../../../scripts/host/environment.mjs";

dropForeign();

/** The workbench as its user sees it. Each file has its own VS Code and browser, which mostly wait. */
export default defineConfig({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  test: {
    include: ["test/host/{e2e,screenshots}/**/*.test.ts"],
    setupFiles: ["test/host/support/setup.ts"],
    maxWorkers: 3,
    isolate: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Tests wait for screen contents, never for a time: `expect.poll(() => bench.statusBar()).toBe("Strict")`.
    expect: { poll: { timeout: 60_000, interval: 200 } },
  },
});
