import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commitAll, git, HAS_GIT } from "../../support/a-repository.ts";
import { anUpstream } from "../an-upstream.ts";
import { send } from "../../support/http-client.ts";
import { aRecordedProject, type RecordedProject } from "../recordings.ts";
import { aProject, serving, tapedeck } from "../tapedeck.ts";

const OLD = "You are a support agent. Answer briefly. Never promise a refund.";
const NEW = "You are a support agent. Answer in one sentence. Never promise a refund.";

/** Records these questions under a system prompt. */
async function ask(cwd: string, system: string, questions: readonly string[]): Promise<void> {
  const upstream = await anUpstream();
  const served = await serving(["--mode", "record", ...upstream.options], { cwd });
  for (const content of questions) {
    const messages = [
      { role: "system", content: system },
      { role: "user", content },
    ];
    await send(`${served.ready.url}/openai/v1/chat/completions`, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o-mini", messages }),
    });
  }
  await served.end();
}

async function aCommittedProject(questions: readonly string[]): Promise<RecordedProject> {
  const project = await aRecordedProject([{ text: "Say hi" }]);
  await ask(project.cwd, OLD, questions);
  git(project.cwd, "init", "-q");
  commitAll(project.cwd, "recorded");
  return project;
}

describe.skipIf(!HAS_GIT)("what changed in recordings (needs git)", () => {
  const questions = ["Where is order 1?", "Where is order 2?", "Where is order 3?"];

  it("is shown once when one prompt changed in many calls, beside new and removed calls", async () => {
    const { cwd, entries } = await aCommittedProject(questions);
    rmSync(join(cwd, ".tapedeck"), { recursive: true });
    await ask(cwd, NEW, questions);
    await ask(cwd, OLD, ["Something else?"]);

    const { code, stdout, stderr } = await tapedeck(["diff"], { cwd });

    expect(code).toBe(0);
    expect(stderr).toContain(".tapedeck since HEAD: 3 calls changed · 1 new · 1 deleted");
    expect(stdout.match(/"briefly" → "in one sentence"/g)).toHaveLength(1);
    expect(stdout).toContain("messages[0] (system), sentence 2");
    expect(stdout).toContain(`1 deleted\n  ${entries[0]}`);
  });

  it("is JSON that names each recording, and Markdown in which nothing of a prompt is Markdown", async () => {
    const { cwd } = await aCommittedProject(questions);
    rmSync(join(cwd, ".tapedeck"), { recursive: true });
    await ask(cwd, "Say ```no``` to @everybody.", questions);

    const json = JSON.parse((await tapedeck(["diff", "HEAD", "--json"], { cwd })).stdout) as {
      readonly changed: readonly { readonly calls: readonly { readonly before: string }[] }[];
    };
    const { stdout } = await tapedeck(["diff", "--markdown"], { cwd });

    expect(json.changed.map(({ calls }) => calls.length)).toEqual([3]);
    expect(json.changed[0]?.calls[0]?.before).toMatch(/^calls\/openai\//);
    expect(stdout).toMatch(/^````\n.*@everybody.*\n````$/m);
  });

  it("distinguishes changed replies from those that were only recorded again", async () => {
    const { cwd, dir, entries } = await aCommittedProject(questions);
    const path = join(dir, entries[0] ?? "");
    const text = git(cwd, "show", `HEAD:.tapedeck/${entries[0]}`);
    writeFileSync(path, text.replace(/"recordedAt": "[^"]*"/, '"recordedAt": "2020-01-01T00:00:00.000Z"'));
    expect((await tapedeck(["diff"], { cwd })).stderr).toContain(": 1 re-recorded with the same response");

    writeFileSync(path, text.replace(/"content": "(?!Say hi)[^"]*"/, '"content": "another"'));
    expect((await tapedeck(["diff"], { cwd })).stderr).toContain(": 1 other response");

    git(cwd, "checkout", "--", ".");
    expect((await tapedeck(["diff"], { cwd })).stderr).toContain("no recording changed");
  });

  it("is a failure that names the folder when there is none", async () => {
    const { code, stderr } = await tapedeck(["diff"], { cwd: aProject() });
    expect(code).toBe(1);
    expect(stderr).toContain("it does not exist");
  });

  it("is wrong usage for a revision that git does not know", async () => {
    const { cwd } = await aCommittedProject([]);
    const { code, stderr } = await tapedeck(["diff", "no-such-branch"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("there is no such revision, or no commit yet");
    expect(stderr).toContain("use an existing revision");
  });
});
