import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aRecordedProject, type RecordedProject } from "./recordings.ts";
import { tapedeck } from "./tapedeck.ts";
import { anUpstream } from "./an-upstream.ts";

/** Asks OpenAI, for a test of the file in its first argument. */
const ASK = `
const [file, content] = process.argv.slice(2);
const attribution = { v: 1, runner: "vitest", file, name: ["asks"], line: 1 };
const reply = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  headers: { "content-type": "application/json", "x-tapedeck-test": encodeURIComponent(JSON.stringify(attribution)) },
  body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content }] }),
});
console.log(reply.status);
`;

const FILES = { "ask.mjs": ASK, "packages/web/package.json": "{}", "packages/web/test/a.test.ts": "" };

/** A package of a repository that has recordings. */
async function aPackage(): Promise<RecordedProject & { readonly inside: string }> {
  const project = await aRecordedProject([{ text: "Say hi" }], FILES);
  mkdirSync(join(project.cwd, ".git"));
  return { ...project, inside: join(project.cwd, "packages/web") };
}

const ask = ({ cwd, inside }: { cwd: string; inside: string }, content: string) => [
  "--",
  process.execPath,
  join(cwd, "ask.mjs"),
  join(inside, "test/a.test.ts"),
  content,
];

describe("a command in a package of a repository", () => {
  it("uses the recordings of the repository, and prints where they are", async () => {
    const project = await aPackage();

    const replayed = await tapedeck(["run", ...ask(project, "Say hi")], { cwd: project.inside });
    const listed = await tapedeck(["list"], { cwd: project.inside });

    expect(replayed).toMatchObject({ code: 0, stdout: "200\n" });
    expect(replayed.stderr).toContain("The recordings are in ../../.tapedeck.\n1 replayed");
    expect(listed.stderr).toContain("1 recording in ../../.tapedeck");
  });

  it("records there, and names a test as a run of the whole repository does", async () => {
    const project = await aPackage();
    const upstream = await anUpstream();

    const record = ["run", "--mode", "record", ...upstream.options];
    const { code } = await tapedeck([...record, ...ask(project, "Say bye")], { cwd: project.inside });

    expect(code).toBe(0);
    expect(existsSync(join(project.inside, ".tapedeck"))).toBe(false);
    const files = readdirSync(join(project.dir, "calls"), { recursive: true, withFileTypes: true });
    const recordings = files
      .filter((file) => file.isFile())
      .map(
        (file) =>
          JSON.parse(readFileSync(join(file.parentPath, file.name), "utf8")) as Record<string, unknown>,
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
