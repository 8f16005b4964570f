/*
 * Tests that only `npm run test:long` runs. People wait for `npm test` many times a day, so it keeps the tests of the main
 * promises and leaves out slow ones.
 */

/**
 * Programs that take long: packed and installed packages, proxies, full disks, kills, public projects, and the modules
 * that each entry of the library loads. Other tests hold the rest with less: `test/core/formats` and `import.test.ts` imports,
 * `test/team` the cache, `test/core/answer/source/foreign-credential.test.ts` where keys go,
 * `test/cli/docs.test.ts` documents.
 */
export const LONG_PROGRAMS = [
  "test/cli/commands/doctor.test.ts",
  "test/cli/commands/import-killed.test.ts",
  "test/cli/commands/import-owners.test.ts",
  "test/cli/commands/import-traffic.test.ts",
  "test/cli/commands/remote.test.ts",
  "test/cli/disk-trouble.test.ts",
  "test/cli/own-upstreams.test.ts",
  "test/cli/propose-rules.test.ts",
  "test/cli/proxy.test.ts",
  "test/cli/real-projects.test.ts",
  "test/client/docs.test.ts",
  "test/client/loading.test.ts",
  "test/library.test.ts",
  "test/packaging.test.ts",
  "test/testing/consumer.test.ts",
];

/**
 * Runners that take long to start, official SDKs (agent-streams and both guards), and compilers (languages and
 * source-lines). Faster tests hold less of the same: `test/hooks`, `test/core`, `test/server/pages.test.ts`, and `test/deck`.
 */
export const LONG_RUNNERS = [
  "test/runners/agent-streams.test.ts",
  "test/runners/guard-javascript.test.ts",
  "test/runners/guard-python.test.ts",
  "test/runners/helpers.test.ts",
  "test/runners/languages.test.ts",
  "test/runners/notebooks.test.ts",
  "test/runners/pages.test.ts",
  "test/runners/playwright.test.ts",
  "test/runners/source-lines.test.ts",
  "test/runners/trials.test.ts",
  "test/runners/unittest.test.ts",
];

/**
 * Stories of killed hosts, full disks, endless runs and thousands of recordings; the demo, the Test Explorer, hostile
 * texts, and pages used now and then.
 */
export const LONG_STORIES = [
  "test/host/e2e/chinese.test.ts",
  "test/host/e2e/conversation.test.ts",
  "test/host/e2e/demo.test.ts",
  "test/host/e2e/failed-calls.test.ts",
  "test/host/e2e/hostile-text.test.ts",
  "test/host/e2e/lifecycle.test.ts",
  "test/host/e2e/linked-folder.test.ts",
  "test/host/e2e/many-recordings.test.ts",
  "test/host/e2e/metagpt.test.ts",
  "test/host/e2e/mocks.test.ts",
  "test/host/e2e/newcomer.test.ts",
  "test/host/e2e/overview.test.ts",
  "test/host/e2e/runs-that-go-wrong.test.ts",
  "test/host/e2e/team.test.ts",
  "test/host/e2e/test-explorer.test.ts",
  "test/host/e2e/timeline.test.ts",
];
