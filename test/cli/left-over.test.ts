import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { HAS_GIT } from "../support/a-repository.ts";
import { servingProcess } from "./a-process.ts";
import { anUpstream } from "./an-upstream.ts";
import { aProject, serving, tapedeck } from "./tapedeck.ts";

function temporaryFiles(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tmp"));
}

/** Kills recording processes in the middle of their writes until one leaves a temporary file. */
async function leaveTemporaryFiles(cwd: string, dir: string): Promise<void> {
  const { options } = await anUpstream();
  for (let round = 0; temporaryFiles(dir).length === 0; round += 1) {
    const { ready, pid } = await servingProcess(["--mode", "record", ...options], { cwd });
    const calls = Array.from({ length: 20 }, (_, at) =>
      fetch(`${ready.env["OPENAI_BASE_URL"]}/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          model: "gpt-4o-mini",
          messages: [{ role: "user", content: `${round} ${at} ${"x ".repeat(100_000)}` }],
        }),
      }).catch(() => undefined),
    );
    while (temporaryFiles(dir).length === 0) await setImmediate();
    process.kill(pid, "SIGKILL");
    await Promise.all(calls);
  }
}

it("names what killed processes left in a check, keeps it out of git, and removes it at the next start", async () => {
  const cwd = aProject();
  const dir = join(cwd, ".tapedeck");
  await leaveTemporaryFiles(cwd, dir);
  const [left = ""] = temporaryFiles(dir);
  const living = join(dir, dirname(left), ".1-0123456789abcdef.tmp");
  writeFileSync(living, "");

  const { stdout, stderr } = await tapedeck(["check"], { cwd });
  expect(stdout + stderr).toContain(`.tapedeck/${left}`);
  if (HAS_GIT) {
    execFileSync("git", ["init", "-q"], { cwd });
    const status = execFileSync("git", ["status", "--porcelain", "-uall"], { cwd, encoding: "utf8" });
    expect(status).toContain(".tapedeck/.gitignore");
    expect(status).not.toContain(".tmp");
  }

  await (await serving([], { cwd })).end();
  expect(temporaryFiles(dir)).toEqual([join(dirname(left), ".1-0123456789abcdef.tmp")]);
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
