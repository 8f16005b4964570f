/*
 * What `npm test` leaves to `npm run test:long`, by the names of files: `npm test` is waited for many times a day, and a
 * promise of the main job stays in it.
 */

/** Programs that take long: packed and installed packages, proxies, full disks, kills, public projects. */
export const LONG_PROGRAMS = [
  "test/cli/check-fix-meanwhile",
  "test/cli/commands/doctor",
  "test/cli/commands/import-killed",
  "test/cli/commands/run-traces",
  "test/cli/disk-trouble",
  "test/cli/propose-rules",
  "test/cli/proxy",
  "test/cli/real-projects",
  "test/library",
  "test/testing/consumer",
];

/** Runners that take long to start, and every official SDK for Python. */
export const LONG_RUNNERS = ["playwright", "notebooks", "guard-python"];

/** Stories of killed hosts, full disks, endless runs and thousands of recordings; pages and what is used now and then. */
export const LONG_STORIES = [
  "failed-calls",
  "lifecycle",
  "many-recordings",
  "mocks",
  "newcomer",
  "overview",
  "overview-page",
  "runs-that-go-wrong",
  "team",
  "timeline",
];

/** @param {string} folder @param {readonly string[]} names */
export const filesOf = (folder, names) => names.map((name) => `${folder}${name}.test.ts`);
