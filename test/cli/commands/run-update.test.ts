import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { anUpstream } from "../an-upstream.ts";
import { ASKING } from "../asking.ts";
import { aProject, tapedeck, type Finished } from "../tapedeck.ts";

async function aRecorder() {
  const upstream = await anUpstream();
  const cwd = aProject(ASKING);
  const run = (options: readonly string[], code: number, ...asked: string[]): Promise<Finished> => {
    const script = `node ask.mjs ${asked.join(" ")}; exit ${code}`;
    return tapedeck(["run", ...upstream.options, ...options, "--", "sh", "-c", script], { cwd });
  };
  const candidates = (): number => {
    const text = readFileSync(join(cwd, ".tapedeck/.local/candidates.json"), "utf8");
    return (JSON.parse(text) as { candidates: unknown[] }).candidates.length;
  };
  return { run, candidates };
}

it("what a run records is new until --update accepts it: what was recorded, what was replayed, nothing after a failure", async () => {
  const { run, candidates } = await aRecorder();

  const recorded = await run(["--mode", "record"], 0, "one", "two", "three");
  expect(recorded.stderr).toContain(
    "3 new recordings. Review and commit them, or accept them with --update.",
  );
  expect(candidates()).toBe(3);

  const failed = await run(["--mode", "record", "--update"], 7, "four");
  expect(failed.code).toBe(7);
  expect(failed.stderr).toContain("1 new recording was not accepted, because the command failed.");
  expect(candidates()).toBe(4);

  expect((await run(["--update"], 0, "one", "two")).stderr).toContain("2 new recordings accepted.");
  expect(candidates()).toBe(2);

  const accepted = await run(["--mode", "record", "--update"], 0, "five", "six");
  expect(accepted.stderr).toContain("2 new recordings accepted.");
  expect(candidates()).toBe(2);
});
