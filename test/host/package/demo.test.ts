import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { rootDir } from "../../../scripts/host/paths.mjs";

it("the demo prints its address, answers there, and leaves nothing behind", async () => {
  const script = join(rootDir, "scripts", "demo.mjs");

  const { stdout } = await promisify(execFile)(process.execPath, [script, "--check"]);

  expect(stdout).toMatch(/^ {2}http:\/\/127\.0\.0\.1:\d+\/\?tkn=/m);
  expect(stdout).toContain("The workbench answered with 200.");
  const copy = /The workspace is a copy, (\S+):/.exec(stdout)?.[1];
  expect(copy).toBeDefined();
  expect(existsSync(copy ?? "")).toBe(false);
});
