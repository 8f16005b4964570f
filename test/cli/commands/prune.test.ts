import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { judgeRecording } from "../../../src/storage/check/unused-recordings.ts";
import { sha256 } from "../../support/a-recording.ts";
import { aRecordedProject, say, type ProjectCall } from "../recordings.ts";
import { aProject, serving, tapedeck } from "../tapedeck.ts";
import { filesBelow } from "../../support/files-below.ts";

vi.mock("../../../src/storage/check/unused-recordings.ts", { spy: true });

const TEST = { file: "chat.test.ts", name: ["chat", "says hi"] };
const FILES = { "chat.test.ts": 'it("says hi"); it("other");' };
/** A test that is not in its file any more. */
const DELETED = { ...TEST, name: ["deleted"] };

/** With one test, which makes one call. */
const TESTING = `
import { test } from "node:test";

test("says hi", async () => {
  const body = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "one" }] });
  const headers = { "content-type": "application/json" };
  await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", headers, body });
});
`;

/** Makes calls in strict mode, in one run. */
async function replay(cwd: string, calls: readonly ProjectCall[]): Promise<void> {
  const served = await serving([], { cwd });
  for (const call of calls) await say(served.ready.url, cwd, call);
  await served.end();
}

function aBlob(dir: string, text: string, ageMs: number): string {
  const path = `blobs/${sha256(text)}`;
  mkdirSync(join(dir, "blobs"), { recursive: true });
  writeFileSync(join(dir, path), text);
  const then = new Date(Date.now() - ageMs);
  utimesSync(join(dir, path), then, then);
  return path;
}

const DAY_MS = 86_400_000;

describe("prune", () => {
  it("takes blobs along that no file names, but none that is young", async () => {
    const { cwd, dir } = await aRecordedProject([{ text: "Say hi", test: TEST }], FILES);
    const unused = aBlob(dir, "unused", DAY_MS);
    const young = aBlob(dir, "just written", 0);
    const named = aBlob(dir, "named", DAY_MS);
    writeFileSync(join(dir, "calls/openai/note.txt"), `see ${named}`);

    const dry = await tapedeck(["prune", "--dry-run"], { cwd });
    const stillThere = existsSync(join(dir, unused));
    const pruned = await tapedeck(["prune"], { cwd });

    expect([dry.code, pruned.code, stillThere]).toEqual([0, 0, true]);
    expect(dry.stdout).toBe(`${unused}  No recording refers to it.\n`);
    expect(pruned.stdout).toBe(dry.stdout);
    expect(pruned.stderr).toContain("0 of 1 recordings in .tapedeck deleted. 1 unused blob deleted.");
    expect(filesBelow(join(dir, "blobs")).toSorted()).toEqual(
      [young, named].map((path) => path.slice("blobs/".length)).toSorted(),
    );
  });

  it("neither removes nor reports the recording of a renamed test, once that test used it", async () => {
    const moved = { ...TEST, file: "moved.test.ts" };
    const { cwd } = await aRecordedProject([{ text: "used", test: TEST }], {
      "moved.test.ts": 'it("says hi");',
    });

    const before = await tapedeck(["check"], { cwd });
    await replay(cwd, [{ text: "used", test: moved }]);
    const after = await tapedeck(["check"], { cwd });
    const pruned = await tapedeck(["prune"], { cwd });

    expect(before.stdout).toContain("The file of its test does not exist: chat.test.ts.");
    expect([after.stdout, pruned.stdout]).toEqual(["", ""]);
  });

  it("removes nothing of another project that shares the folder", async () => {
    const { cwd, dir } = await aRecordedProject(
      [
        { text: "used", test: TEST },
        { text: "of another", test: { ...TEST, file: "another.test.ts" } },
      ],
      FILES,
    );
    const linked = aProject({ ...FILES, "tapedeck.jsonc": "{}" });
    const shared = join(aProject(), ".tapedeck");
    renameSync(dir, shared);
    symlinkSync(shared, join(linked, ".tapedeck"));

    for (const [folder, options] of [
      [cwd, ["--dir", shared]],
      [linked, ["--dir", ".tapedeck"]],
    ] as const) {
      const served = await serving([...options], { cwd: folder });
      await say(served.ready.url, folder, { text: "used", test: TEST });
      await served.end();

      const { code, stdout } = await tapedeck(["prune", ...options], { cwd: folder });

      expect([code, stdout]).toEqual([0, ""]);
    }
  });

  it("removes what the last runs did not ask for, after a dry run that removes nothing", async () => {
    const { cwd, dir, entries } = await aRecordedProject(
      [
        { text: "used", test: TEST },
        { text: "unused", test: DELETED },
      ],
      FILES,
    );
    const [used = "", unused = ""] = entries;
    for (let run = 0; run < 3; run += 1) await replay(cwd, [{ text: "used", test: TEST }]);

    const checked = await tapedeck(["check"], { cwd });
    const dry = await tapedeck(["prune", "--dry-run"], { cwd });
    const isThere = existsSync(join(dir, unused));
    const pruned = await tapedeck(["prune"], { cwd });

    expect([checked.code, checked.stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^\\.tapedeck/${unused}:1:1: warning: .*\\(unused\\)$`, "m")),
    ]);
    expect([dry.code, isThere, pruned.stdout]).toEqual([0, true, dry.stdout]);
    expect(dry.stdout).toMatch(
      new RegExp(`^${unused} {2}The last 3 complete runs did not use it \\(since 20`),
    );
    expect(filesBelow(join(dir, "calls"))).toEqual([used.slice("calls/".length)]);
    expect(readFileSync(join(dir, ".local", ".gitignore"), "utf8")).toBe("*\n");
  });

  it("judges the recordings of a test by its own runs, and skips runs that missed a call", async () => {
    const other = { ...TEST, name: ["other"] };
    const calls = [
      { text: "one", test: TEST },
      { text: "two", test: TEST },
      { text: "three", test: other },
    ];
    const { cwd, entries } = await aRecordedProject(calls, FILES);
    const judged = async (...asked: readonly ProjectCall[]) => {
      await replay(cwd, asked);
      return (await tapedeck(["prune", "--dry-run"], { cwd })).stdout;
    };

    expect(await judged({ text: "one, reworded", test: TEST }, { text: "three", test: other })).toBe("");
    expect(await judged({ text: "one", test: TEST })).toMatch(
      new RegExp(`^${entries[1]} {2}Its test ran again[^\n]*\n$`),
    );
  });

  it("with an age leaves alone what was used or recorded since", async () => {
    const calls = [
      { text: "one", test: TEST },
      { text: "two", test: TEST },
    ];
    const { cwd, entries } = await aRecordedProject(calls, FILES);
    await replay(cwd, [{ text: "one", test: TEST }]);

    const recent = await tapedeck(["prune", "--dry-run", "--older-than", "1h"], { cwd });
    const any = await tapedeck(["prune", "--dry-run", "--older-than", "0d"], { cwd });
    const wrong = await tapedeck(["prune", "--older-than", "soon"], { cwd });

    expect(recent.stdout).toBe("");
    expect(any.stdout).toMatch(new RegExp(`^${entries[1]} {2}Its test ran again`));
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--older-than 90d")]);
  });

  it("keeps the recordings of a program without known tests, although later runs used only some", async () => {
    const { cwd } = await aRecordedProject([{ text: "one" }, { text: "two" }]);
    for (let run = 0; run < 3; run += 1) await replay(cwd, [{ text: "one" }]);

    const { stdout, stderr } = await tapedeck(["prune"], { cwd });

    expect([stdout, stderr]).toEqual(["", "0 of 2 recordings in .tapedeck deleted.\n"]);
  });

  it("condemns nothing because of a run whose command failed", async () => {
    const test = { file: "chat.test.mjs", name: ["says hi"] };
    const calls = [
      { text: "one", test },
      { text: "two", test },
    ];
    const { cwd } = await aRecordedProject(calls, { "chat.test.mjs": TESTING });
    const endsWith = (code: number) => ["run", "--", "sh", "-c", `node --test chat.test.mjs; exit ${code}`];

    const failed = await tapedeck(endsWith(5), { cwd });
    const before = await tapedeck(["prune", "--dry-run"], { cwd });
    const passed = await tapedeck(endsWith(0), { cwd });
    const after = await tapedeck(["prune", "--dry-run"], { cwd });

    expect([failed.code, passed.code]).toEqual([5, 0]);
    expect(before.stdout).toBe("");
    expect(after.stdout).not.toBe("");
  });
});

describe("prune without a known run", () => {
  it("refuses before it reads the recordings", async () => {
    const { dir } = await aRecordedProject([{ text: "Say hi" }]);
    const cwd = aProject();
    cpSync(join(dir, "calls"), join(cwd, ".tapedeck", "calls"), { recursive: true });
    vi.mocked(judgeRecording).mockClear();

    const { code, stderr } = await tapedeck(["prune", "--dry-run"], { cwd });

    expect([code, stderr]).toEqual([1, expect.stringMatching(/does not know yet[^]*tapedeck run/)]);
    expect(judgeRecording).not.toHaveBeenCalled();
  });
});

describe("what is known of use", () => {
  it("is reported as lost and rebuilt when its file is broken, and no run fails for it", async () => {
    const calls = [
      { text: "one", test: TEST },
      { text: "two", test: DELETED },
    ];
    const { cwd, dir } = await aRecordedProject(calls, FILES);
    writeFileSync(join(dir, ".local/usage.json"), '{"version":2,');

    const checked = await tapedeck(["check"], { cwd });
    const served = await serving([], { cwd });
    await say(served.ready.url, cwd, { text: "one", test: TEST });
    const { code, stderr } = await served.end();
    const again = await tapedeck(["prune", "--dry-run"], { cwd });

    expect(checked.code).toBe(0);
    expect(checked.stderr).toMatch(/warning: .*usage\.json cannot be read \(it is not JSON\)/);
    expect(code).toBe(0);
    expect(stderr).toMatch(/starts again empty/);
    expect(again.stdout).toMatch(/^calls\/\S+ {2}The last complete run/);
    expect(readFileSync(join(dir, ".local/usage.broken.json"), "utf8")).toBe('{"version":2,');
  });
});
