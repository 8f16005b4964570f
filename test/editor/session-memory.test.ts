import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createUseNotes, joinedUsage } from "../../src/editor/session-memory-model.ts";
import { candidatesFrom } from "../../src/storage/candidates.ts";
import { createSessionMemory } from "../../src/editor/session-memory.ts";
import type { SessionMemory } from "../../src/editor/session-memory.ts";
import type { Candidate } from "../../src/editor/session-model.ts";
import { aCall, aTest, entryOf } from "./call-events.ts";

const folders: string[] = [];

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "memory-"));
  folders.push(folder);
  return folder;
}

function aMemory(dir: string, current: readonly Candidate[] = []): SessionMemory {
  return createSessionMemory({
    dir,
    current: () => current,
    onError: (error) => {
      throw error;
    },
  });
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe("what a session remembers", () => {
  it("gives the next window the candidates of this one", async () => {
    const dir = aFolder();
    const candidate = {
      entry: entryOf("one"),
      recordedAt: 7,
      test: { file: "a.test.ts", name: ["a"], line: 3 },
    };

    const memory = aMemory(dir, [candidate]);
    memory.candidatesChanged();
    await memory.flush();

    expect(await aMemory(dir).candidates()).toEqual([candidate]);
  });

  it("adds its use of recordings to what others wrote", async () => {
    const dir = aFolder();
    const first = aMemory(dir);
    first.used(aCall("one", { at: Date.UTC(2026, 0, 1), test: aTest("a") }));
    await first.flush();

    const second = aMemory(dir);
    second.used(aCall("two", { at: Date.UTC(2026, 0, 2) }));
    await second.flush();

    const file: unknown = JSON.parse(readFileSync(join(dir, ".local", "usage.json"), "utf8"));
    expect(file).toEqual({
      entries: { [entryOf("one")]: "2026-01-01T00:00:00.000Z", [entryOf("two")]: "2026-01-02T00:00:00.000Z" },
    });
  });

  it("makes no folder only to say what was asked for", async () => {
    const dir = join(aFolder(), ".tapedeck");
    const memory = aMemory(dir);

    memory.used(aCall("one", { outcome: "miss" }));
    await memory.flush();

    expect(() => readFileSync(join(dir, ".local", "usage.json"))).toThrow("ENOENT");
  });
});

describe("uses", () => {
  it("are told once, and only of calls that a recording answered", () => {
    const uses = createUseNotes();
    uses.note(aCall("one", { at: 1_000 }));
    uses.note(aCall("two", { at: 2_000, entry: null, outcome: "miss" }));

    const taken = uses.take();

    expect(Object.values(taken ?? {})).toEqual(["1970-01-01T00:00:01.000Z"]);
    expect(uses.take()).toBeUndefined();
  });

  it("keep the later of two times, and what is known of whole runs", () => {
    const before = {
      entries: { a: "2026-01-02", b: "2026-01-01" },
      lastRun: "2026-01-02",
      tests: { t: "2026-01-02" },
    };

    const joined = joinedUsage(before, { a: "2026-01-01", b: "2026-01-03" });

    expect(joined).toEqual({ ...before, entries: { a: "2026-01-02", b: "2026-01-03" } });
  });

  it.each([undefined, null, 7, "text", [], { entries: 7 }, { entries: { a: 1 } }])(
    "survive a file that holds %j",
    (before) => {
      expect(joinedUsage(before, {})).toEqual({ entries: {} });
    },
  );
});

describe("remembered candidates", () => {
  it("are read one by one: what is none hides no other", () => {
    const good = { entry: entryOf("one"), recordedAt: 1 };

    expect(candidatesFrom({ candidates: [null, { entry: 1, recordedAt: 1 }, good, { entry: "x" }] })).toEqual(
      [good],
    );
  });

  it.each([undefined, null, [], { candidates: {} }, "x"])("are none in %j", (value) => {
    expect(candidatesFrom(value)).toEqual([]);
  });
});
