import { expect, test } from "vitest";
import { tapedeckProcess } from "./a-process.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

const run = (env: Record<string, string>, ...args: readonly string[]) =>
  tapedeck(args, { cwd: aProject(), env });

test.each([
  { LANG: "zh_CN.UTF-8" },
  { LC_ALL: "zh_CN.UTF-8", LANG: "en_US.UTF-8" },
  { LC_MESSAGES: "zh-Hans", LANG: "C" },
])("prints Chinese when the locale is %o", async (env) => {
  expect((await run(env, "--help")).stdout).toContain("用法：tapedeck COMMAND");
});

test.each([{}, { LANG: "C.UTF-8" }, { LC_ALL: "en_US.UTF-8", LANG: "zh_CN.UTF-8" }, { LANG: "zh_TW.UTF-8" }])(
  "prints English when the locale is %o",
  async (env) => {
    expect((await run(env, "--help")).stdout).toContain("Usage: tapedeck COMMAND");
  },
);

test("--lang overrides the locale, before and after the command", async () => {
  expect((await run({ LANG: "zh_CN.UTF-8" }, "--lang=en", "--help")).stdout).toContain("Usage:");
  expect((await run({}, "--lang", "zh-CN", "nothing")).stderr).toContain("没有命令“nothing”");
  expect((await run({}, "nothing", "--lang", "zh-cn")).stderr).toContain("没有命令“nothing”");
});

test("refuses a language without translations, and names those that exist", async () => {
  const { code, stderr } = await run({}, "--lang", "xx", "list");

  expect(code).toBe(2);
  expect(stderr).toContain('The language "xx" is not available.\nUse --lang with one of: en, zh-cn.');
});

test("the program as it ships brings its translations", async () => {
  const { stdout } = await tapedeckProcess(["--help"], { cwd: aProject(), env: { LANG: "zh_CN.UTF-8" } });

  expect(stdout).toContain("用法：tapedeck COMMAND");
});
