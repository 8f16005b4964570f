import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The workbench as its user sees it. One file at a time: each has a VS Code and a browser of its own. */
export default defineConfig({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  test: {
    include: ["test/host/{e2e,package,screenshots}/**/*.test.ts"],
    setupFiles: ["test/host/support/setup.ts"],
    fileParallelism: false,
    // VS Code draws lists and menus anew at any moment, and a click in that moment meets nothing: a person clicks again.
    retry: 1,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is on the screen is waited for, never for a time: `expect.poll(() => bench.statusBar()).toBe("Strict")`.
    expect: { poll: { timeout: 30_000, interval: 100 } },
  },
});
