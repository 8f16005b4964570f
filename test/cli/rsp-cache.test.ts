import { expect, test } from "vitest";
import { aProject, tapedeck } from "./tapedeck.ts";

const FILE = "tests/data/rsp_cache.json";
const CACHE = {
  "You are X#SYSTEM_MSG_END#Write a snake game": "print('snake')",
  '[{"role": "user", "content": "hello in python"}]': { language: "python", code: "print(1)" },
};

test("MetaGPT's cache is listed, shown and checked in place, each entry with its line", async () => {
  const cwd = aProject({ [FILE]: JSON.stringify(CACHE, undefined, 4) });

  const listed = await tapedeck(["list", "--dir", FILE], { cwd });
  const rows = JSON.parse((await tapedeck(["list", "--dir", FILE, "--json"], { cwd })).stdout) as {
    entry: string;
  }[];
  const shown = await tapedeck(["show", "tests/data/rsp_cache.json:2:5", "--dir", FILE], { cwd });
  const checked = await tapedeck(["check", "--dir", FILE], { cwd });

  expect(listed.stdout).toContain("Write a snake game");
  expect(listed.stdout).toContain("hello in python");
  expect(rows.map(({ entry }) => entry)).toEqual(["rsp_cache.json:2:5", "rsp_cache.json:3:5"]);
  expect(shown.stdout).toContain("You are X");
  expect(shown.stdout).toContain("print('snake')");
  expect([checked.code, checked.stderr]).toEqual([0, expect.stringContaining("2 recordings")]);
});

test("a key in an answer is found, and a broken file is reported with its first bad position", async () => {
  const secret = ["sk", "proj", "Q7vX2mN9pL4kR8tY3wZ6bC1dF5gH0jS2"].join("-");
  const cwd = aProject({ [FILE]: JSON.stringify({ k: secret }), "broken.json": '{\n  "a": "b",\n  oops\n}' });

  const leaking = await tapedeck(["check", "--dir", FILE], { cwd });
  const broken = await tapedeck(["list", "--dir", "broken.json"], { cwd });

  expect(leaking.code).toBe(1);
  expect(leaking.stdout).toContain("(secret)");
  expect(broken.code).toBe(1);
  expect(broken.stderr).toContain("broken.json:3:3 cannot be read");
});

test.each([
  ["serve", ["serve", "--dir", FILE]],
  ["run", ["run", "--dir", FILE, "--", "node", "-e", "process.exit(7)"]],
])("%s refuses it before anything runs, with the reason and a hint", async (_, argv) => {
  const cwd = aProject({ [FILE]: JSON.stringify(CACHE) });

  const { code, stdout, stderr } = await tapedeck(argv, { cwd });

  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("Its keys have neither roles nor models");
  expect(stderr).toContain("Choose a folder with --dir.");
});
