import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { expect, it } from "vitest";
import { HAS_GIT } from "../support/a-repository.ts";
import { servingProcess } from "./a-process.ts";
import { anUpstream } from "./an-upstream.ts";
import { aProject, serving, tapedeck } from "./tapedeck.ts";

function temporaryFiles(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tmp"));
}

/** Kills the process that loads it when it has opened a temporary file for a recording. */
const DIES_WRITING = `
const fs = require("node:fs");
const { openSync } = fs;
fs.openSync = (path, ...more) => {
  const file = openSync(path, ...more);
  if (/calls.*[.]tmp$/.test(path)) process.kill(process.pid, "SIGKILL");
  return file;
};
require("node:module").syncBuiltinESMExports();
`;

/** Records a call in a process that is killed while it writes. */
async function leaveTemporaryFile(cwd: string): Promise<void> {
  const { options } = await anUpstream();
  const hook = join(cwd, "dies-writing.cjs");
  writeFileSync(hook, DIES_WRITING);
  const env = { NODE_OPTIONS: `--require ${JSON.stringify(hook)}` };
  const { ready } = await servingProcess(["--mode", "record", ...options], { cwd, env });
  await expect(call(ready.env["OPENAI_BASE_URL"], "Where is Rome?")).rejects.toThrow("fetch failed");
}

function call(base: string | undefined, content: string): Promise<Response> {
  return fetch(`${base}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content }] }),
  });
}

it("names what killed processes left in a check, and removes it at the next start", async () => {
  const cwd = aProject();
  const dir = join(cwd, ".tapedeck");
  await leaveTemporaryFile(cwd);
  const [left = ""] = temporaryFiles(dir);
  const living = join(dir, dirname(left), ".1-0123456789abcdef.tmp");
  writeFileSync(living, "");

  const { stdout, stderr } = await tapedeck(["check"], { cwd });
  expect(stdout + stderr).toContain(`.tapedeck/${left}`);

  await (await serving([], { cwd })).end();
  expect(temporaryFiles(dir)).toEqual([join(dirname(left), ".1-0123456789abcdef.tmp")]);
});

it.skipIf(!HAS_GIT)("keeps unfinished files out of commits (needs git)", async () => {
  const cwd = aProject();
  const { options } = await anUpstream();
  const { ready } = await serving(["--mode", "record", ...options], { cwd });
  await call(ready.env["OPENAI_BASE_URL"], "Where is Rome?");
  const folder = join(cwd, ".tapedeck", "calls");
  writeFileSync(join(folder, ".1-0123456789abcdef.tmp"), "");
  execFileSync("git", ["init", "-q"], { cwd });

  const status = execFileSync("git", ["status", "--porcelain", "-uall"], { cwd, encoding: "utf8" });

  expect(status).toContain(".tapedeck/.gitignore");
  expect(status).not.toContain(".tmp");
});

it.skipIf(process.platform !== "linux")(
  "removes the folder of a killed process's proxy at the next start, and no other (Linux: needs /proc)",
  async () => {
    const foldersOf = (pid: number): readonly string[] =>
      readdirSync(tmpdir()).filter((name) => name.startsWith(`tapedeck-proxy-${pid}-`));
    const killed = await servingProcess(["--proxy"], { cwd: aProject() });
    const living = await servingProcess(["--proxy"], { cwd: aProject() });
    const before = foldersOf(killed.pid);
    process.kill(killed.pid, "SIGKILL");
    await expect.poll(() => existsSync(`/proc/${killed.pid}`)).toBe(false);

    await (await servingProcess(["--proxy"], { cwd: aProject() })).end();

    expect([before.length, foldersOf(killed.pid).length, foldersOf(living.pid).length]).toEqual([1, 0, 1]);
    await living.end();
  },
);
