/**
 * Tests that start programs: Tapedeck itself, compilers, git, other languages. They wait as much as they compute and
 * run apart from those that only call functions.
 */
export const PROGRAMS = [
  "test/bundles.test.ts",
  "test/library.test.ts",
  "test/packaging.test.ts",
  "test/replayed-call.test.ts",
  "test/agent/{mend,mcp}.test.ts",
  "test/cli/*.test.ts",
  "test/cli/commands/{doctor,import-killed,import-owners,remote,resolve,run,run-reports,serve}.test.ts",
  "test/client/{bundle,docs,loading}.test.ts",
  "test/editor/environment/host-environment.test.ts",
  "test/hooks/*.test.ts",
  "test/python/*.test.ts",
  "test/testing/consumer.test.ts",
  "test/torture/*.test.ts",
];
