import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aRecordedProject, callsAsProgram, type RecordedProject } from "./recordings.ts";
import { tapedeck } from "./tapedeck.ts";
import { anUpstream } from "./an-upstream.ts";
import { filesBelow } from "../support/files-below.ts";

const asking = (text: string): string =>
  callsAsProgram([{ text, test: { file: "test/a.test.ts", name: ["asks"], line: 1 } }]);

/** Programs that ask in a package, each for a test of it. */
const FILES = {
  "hi.mjs": asking("Say hi"),
  "bye.mjs": asking("Say bye"),
  "packages/web/package.json": "{}",
  "packages/web/test/a.test.ts": "",
};

/** A package of a repository that has recordings. */
async function aPackage(): Promise<RecordedProject & { readonly inside: string }> {
  const project = await aRecordedProject([{ text: "Say hi" }], FILES);
  mkdirSync(join(project.cwd, ".git"));
  return { ...project, inside: join(project.cwd, "packages/web") };
}

describe("a command in a package of a repository", () => {
  it("uses the recordings of the repository, and prints where they are", async () => {
    const project = await aPackage();

    const replayed = await tapedeck(["run", "--", "node", "../../hi.mjs"], { cwd: project.inside });
    const listed = await tapedeck(["list"], { cwd: project.inside });

    expect(replayed.code).toBe(0);
    expect(replayed.stderr).toContain("The recordings are in ../../.tapedeck.\n1 replayed");
    expect(listed.stderr).toContain("1 recording in ../../.tapedeck");
  });

  it("records there, and names a test as a run of the whole repository does", async () => {
    const project = await aPackage();
    const upstream = await anUpstream();

    const record = ["run", "--mode", "record", ...upstream.options];
    const { code } = await tapedeck([...record, "--", "node", "../../bye.mjs"], { cwd: project.inside });

    expect(code).toBe(0);
    expect(existsSync(join(project.inside, ".tapedeck"))).toBe(false);
    const calls = join(project.dir, "calls");
    const recordings = filesBelow(calls).map(
      (file) => JSON.parse(readFileSync(join(calls, file), "utf8")) as Record<string, unknown>,
    );
    expect(recordings.map(({ test }) => test)).toContainEqual(
      expect.objectContaining({ file: "packages/web/test/a.test.ts" }),
    );
  });

  it.each([".tapedeck/calls/kept", "tapedeck.jsonc"])(
    "has its own recordings if it has a %s",
    async (own) => {
      const { inside } = await aPackage();
      mkdirSync(join(inside, own, ".."), { recursive: true });
      writeFileSync(join(inside, own), own.endsWith(".jsonc") ? "{}" : "");

      const { stderr } = await tapedeck(["list"], { cwd: inside });

      expect(stderr).toContain("0 recordings in .tapedeck");
    },
  );

  it("uses no folder above the repository, which may be someone else's", async () => {
    const { cwd } = await aRecordedProject([{ text: "Say hi" }]);
    mkdirSync(join(cwd, "clone/.git"), { recursive: true });
    mkdirSync(join(cwd, "no-repository"));

    const inClone = await tapedeck(["list"], { cwd: join(cwd, "clone") });
    const elsewhere = await tapedeck(["list"], { cwd: join(cwd, "no-repository") });

    for (const { stderr } of [inClone, elsewhere]) expect(stderr).toContain("0 recordings in .tapedeck");
  });
});

it("a command in a repository without recordings names those of its packages", async () => {
  const { cwd, dir } = await aRecordedProject([{ text: "Say hi" }], FILES);
  renameSync(dir, join(cwd, "packages/web/.tapedeck"));

  const replayed = await tapedeck(["run", "--", "node", "hi.mjs"], { cwd });
  const listed = await tapedeck(["list"], { cwd });

  for (const { stderr } of [replayed, listed])
    expect(stderr).toContain("Packages have recordings of their own in packages/web/.tapedeck. To use them");
});
