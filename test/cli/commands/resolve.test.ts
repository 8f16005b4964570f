import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRecordingAddress } from "../../../src/core/cassette/address.ts";
import { encodeRecording } from "../../../src/core/cassette/codec.ts";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import { aReplyOf, sha256, bytes, aRecording } from "../../support/a-recording.ts";
import { commitAll, git, HAS_GIT, tryGit } from "../../support/a-repository.ts";
import { anUpstream } from "../an-upstream.ts";
import { ask, ASKING } from "../asking.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

const [EARLY, LATE] = ["2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"];

function write(cwd: string, recording: Recording, recordedAt = EARLY, take = 1): string {
  const { entry } = createRecordingAddress(recording.provider, recording.key, take);
  const path = join(cwd, ".tapedeck", entry);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, encodeRecording({ ...recording, recordedAt }, { sha256: digestOf }).text);
  return entry;
}

function digestOf(data: Uint8Array): string {
  return sha256(data);
}

/** Two branches of a repository with the attributes: what `base`, `ours` and `theirs` do; `ours` is checked out. */
async function twoBranches(steps: {
  readonly base?: (cwd: string) => void;
  readonly ours: (cwd: string) => void;
  readonly theirs: (cwd: string) => void;
  /** Without them. */
  readonly isPlain?: true;
}): Promise<string> {
  const cwd = aProject({ "readme.md": "A project.\n" });
  git(cwd, "init", "-q", "-b", "ours");
  if (steps.isPlain !== true) await tapedeck(["git", "setup"], { cwd });
  steps.base?.(cwd);
  commitAll(cwd, "base");
  git(cwd, "checkout", "-qb", "theirs");
  steps.theirs(cwd);
  commitAll(cwd, "theirs");
  git(cwd, "checkout", "-q", "ours");
  steps.ours(cwd);
  commitAll(cwd, "ours");
  return cwd;
}

function textAt(cwd: string, entry: string): string {
  return readFileSync(join(cwd, ".tapedeck", entry), "utf8");
}

describe.skipIf(!HAS_GIT)("recordings that two branches made (needs git)", () => {
  const { entry } = createRecordingAddress("openai", aReplyOf("").key, 1);
  const second = createRecordingAddress("openai", aReplyOf("").key, 2).entry;
  const oursEarly = (cwd: string): void => void write(cwd, aReplyOf("ours"), EARLY);
  const theirsLate = (cwd: string): void => void write(cwd, aReplyOf("theirs"), LATE);

  it.each([
    ["theirs", []],
    ["ours", ["--ours"]],
    ["theirs", ["--theirs"]],
  ] as const)("with different replies are a conflict: %s is kept with %j", async (kept, option) => {
    const cwd = await twoBranches({ ours: oursEarly, theirs: theirsLate });
    expect(tryGit(cwd, "merge", "theirs")).toBe(false);
    const { code, stderr } = await tapedeck(["git", "resolve", ...option], { cwd });
    expect(stderr).toContain("1 conflict in .tapedeck resolved.");
    expect(code).toBe(0);
    expect(textAt(cwd, entry)).toContain(`"${kept}"`);
    expect(git(cwd, "ls-files", "-u")).toBe("");
    expect(await tapedeck(["check"], { cwd })).toMatchObject({ code: 0, stdout: "" });
  });

  it("of several takes are all of one branch, whichever of them came later", async () => {
    const takes = (name: string, at: readonly string[]) => (cwd: string) => {
      for (const [index, when] of at.entries()) write(cwd, aReplyOf(`${name} ${index}`), when, index + 1);
    };
    const cwd = await twoBranches({
      ours: takes("ours", [EARLY, LATE]),
      theirs: takes("theirs", [LATE, EARLY]),
    });
    expect(tryGit(cwd, "merge", "theirs")).toBe(false);
    expect((await tapedeck(["git", "resolve"], { cwd })).code).toBe(0);
    expect([textAt(cwd, entry), textAt(cwd, second)].map((text) => text.includes('"theirs'))).toEqual([
      true,
      true,
    ]);
  });

  it("are never merged line by line when a changed prompt looks like a renamed file", async () => {
    const long = (text: string) => ({
      body: bytes(JSON.stringify({ text, more: Array(40).fill("the same") })),
    });
    const before = aRecording({ question: "brief", reply: long("first") });
    const changed = aRecording({ question: "short", reply: long("first") });
    const base = (cwd: string): void => void write(cwd, before);
    const cwd = await twoBranches({
      base,
      ours(at) {
        rmSync(join(at, ".tapedeck", createRecordingAddress("openai", before.key, 1).entry));
        write(at, changed);
      },
      theirs: (at) => void write(at, aRecording({ question: "brief", reply: long("again") }), LATE),
    });
    tryGit(cwd, "merge", "theirs");
    expect((await tapedeck(["git", "resolve"], { cwd })).code).toBe(0);
    const kept = textAt(cwd, createRecordingAddress("openai", changed.key, 1).entry);
    expect(kept).toContain('"first"');
    expect(kept).not.toContain('"again"');
    expect((await tapedeck(["check"], { cwd })).code).toBe(0);
  });

  it("are a conflict when both were edited in different lines: no line of one gets into the other", async () => {
    const edited = (first: string, last: string) => (cwd: string) => {
      const reply = { body: bytes(JSON.stringify({ first, more: Array(40).fill("the same"), last })) };
      write(cwd, aRecording({ reply }));
    };
    const cwd = await twoBranches({
      base: edited("1", "2"),
      ours: edited("A", "2"),
      theirs: edited("1", "B"),
    });

    expect(tryGit(cwd, "merge", "theirs")).toBe(false);

    expect(textAt(cwd, entry)).not.toContain('"B"');
    expect((await tapedeck(["git", "resolve", "--theirs"], { cwd })).code).toBe(0);
    expect(textAt(cwd, entry)).not.toContain('"A"');
  });

  it("are resolved from conflict markers left in a file", async () => {
    const cwd = await twoBranches({ ours: oursEarly, theirs: theirsLate, isPlain: true });
    expect(tryGit(cwd, "merge", "theirs")).toBe(false);
    expect(textAt(cwd, entry)).toContain("<<<<<<<");
    commitAll(cwd, "with marks");
    const { code, stderr } = await tapedeck(["git", "resolve"], { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain("merged line by line");
    expect(textAt(cwd, entry)).toContain('"theirs"');
    expect((await tapedeck(["check"], { cwd })).code).toBe(0);
  });

  it("are left alone when one was edited by hand, because only a person can decide which is right", async () => {
    const base = (cwd: string): void => void write(cwd, aReplyOf("before"), EARLY);
    const edit = (cwd: string): void => void write(cwd, aReplyOf("by hand"), EARLY);
    const cwd = await twoBranches({ base, ours: edit, theirs: theirsLate });
    expect(tryGit(cwd, "merge", "theirs")).toBe(false);
    const { code, stderr } = await tapedeck(["git", "resolve"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain("one side was edited by hand, and the other side changed too");
    expect(git(cwd, "ls-files", "-u")).not.toBe("");
  });
});

describe.skipIf(!HAS_GIT)("git attributes of recordings (needs git)", () => {
  it("is added behind the lines that stand there, once", async () => {
    const cwd = aProject({ ".tapedeck/.gitattributes": "*.json diff=json\r\n" });
    git(cwd, "init", "-q");
    for (let time = 0; time < 2; time += 1) expect((await tapedeck(["git", "setup"], { cwd })).code).toBe(0);
    const text = textAt(cwd, ".gitattributes");
    expect(text.startsWith("*.json diff=json\r\n\n")).toBe(true);
    expect(text.match(/linguist-generated/g)).toHaveLength(2);
  });

  it("keeps every byte, whatever git does to line ends elsewhere", async () => {
    const cwd = aProject();
    git(cwd, "init", "-q");
    git(cwd, "config", "core.autocrlf", "true");
    const entry = write(cwd, aReplyOf("a reply"));
    await tapedeck(["git", "setup"], { cwd });
    const before = textAt(cwd, entry);
    commitAll(cwd, "recorded");
    rmSync(join(cwd, ".tapedeck", entry));
    git(cwd, "checkout", "--", ".");
    expect(textAt(cwd, entry)).toBe(before);
    const path = `.tapedeck/${entry}`;
    expect(git(cwd, "check-attr", "linguist-generated", path)).toContain(": set");
  });
});

describe.skipIf(!HAS_GIT)("a run that records in a repository (needs git)", () => {
  const aRepository = (): string => {
    const cwd = aProject(ASKING);
    git(cwd, "init", "-q");
    return cwd;
  };
  const recorder = async () => {
    const { options } = await anUpstream();
    return (cwd: string, text: string) =>
      tapedeck(["run", "--mode", "record", ...options, ...ask(text)], { cwd });
  };

  it("names once the command that sets git up, and nothing without a repository", async () => {
    const record = await recorder();
    const repository = aRepository();
    expect((await record(repository, "one")).stderr).toMatch(/run: node .*cli\.js git setup\n/);
    expect((await record(repository, "two")).stderr).not.toContain("git setup");
    expect((await record(aProject(ASKING), "one")).stderr).not.toContain("git setup");
  });

  it("names the line that makes git ignore the recordings", async () => {
    const record = await recorder();
    const cwd = aProject({ ...ASKING, ".gitignore": "dist\n.tapedeck\n" });
    git(cwd, "init", "-q");

    const { stderr } = await record(cwd, "one");

    expect(stderr).toContain("Git ignores these recordings because of .gitignore:2:.tapedeck. To replay");
    expect(stderr).not.toContain("git setup");
  });

  it("names no line where a later one includes the recordings again", async () => {
    const record = await recorder();
    const cwd = aProject({ ...ASKING, ".gitignore": "*\n!.tapedeck/\n!.tapedeck/**\n" });
    git(cwd, "init", "-q");

    expect((await record(cwd, "one")).stderr).toMatch(/run: node .*cli\.js git setup\n/);
  });
});
