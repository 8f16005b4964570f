import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { HAS_GIT } from "../support/a-repository.ts";
import { anUpstream } from "./an-upstream.ts";
import { aProject, serving, tapedeck } from "./tapedeck.ts";

function call(base: string | undefined, content: string): Promise<Response> {
  return fetch(`${base}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content }] }),
  });
}

it("names what killed processes left a day ago in a check, and removes it at the next start", async () => {
  const cwd = aProject();
  const folder = join(cwd, ".tapedeck", "calls", "openai", "ab");
  mkdirSync(folder, { recursive: true });
  const [old, young] = ["1", "2"].map((pid) => `.${pid}-0123456789abcdef.tmp`);
  for (const name of [old, young]) writeFileSync(join(folder, name ?? ""), "");
  utimesSync(join(folder, old ?? ""), 1_700_000_000, 1_700_000_000);

  const { stdout, stderr } = await tapedeck(["check"], { cwd });
  expect(stdout + stderr).toContain(old);

  await (await serving([], { cwd })).end();
  expect(readdirSync(folder)).toEqual([young]);
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
