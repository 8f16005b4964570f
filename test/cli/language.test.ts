import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { program } from "./built-program.ts";

const run = (env: Record<string, string>, ...args: readonly string[]) =>
  spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
  });

test.each([
  { LANG: "zh_CN.UTF-8" },
  { LC_ALL: "zh_CN.UTF-8", LANG: "en_US.UTF-8" },
  { LC_MESSAGES: "zh-Hans", LANG: "C" },
])("prints Chinese when the locale is %o", (env) => {
  expect(run(env, "--help").stdout).toContain("用法：tapedeck COMMAND");
});

test.each([{}, { LANG: "C.UTF-8" }, { LC_ALL: "en_US.UTF-8", LANG: "zh_CN.UTF-8" }, { LANG: "zh_TW.UTF-8" }])(
  "prints English when the locale is %o",
  (env) => {
    expect(run(env, "--help").stdout).toContain("Usage: tapedeck COMMAND");
  },
);

test("--lang overrides the locale, before and after the command", () => {
  expect(run({ LANG: "zh_CN.UTF-8" }, "--lang=en", "--help").stdout).toContain("Usage:");
  expect(run({}, "--lang", "zh-CN", "nothing").stderr).toContain("没有命令“nothing”");
  expect(run({}, "nothing", "--lang", "zh-cn").stderr).toContain("没有命令“nothing”");
});

test("refuses a language without translations, and names those that exist", () => {
  const { status, stderr } = run({}, "--lang", "xx", "list");

  expect(status).toBe(2);
  expect(stderr).toContain('The language "xx" is not available.\nUse --lang with one of: en, zh-cn.');
});
