import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it, onTestFinished, vi } from "vitest";
import { asProgram } from "../../../scripts/bundling.mjs";
import { readLocal, updateLocal } from "../../../src/storage/local/local-state.ts";
import { withLock } from "../../../src/storage/local/lock.ts";
import { aFolder } from "../../support/a-folder.ts";

it("one at a time holds a lock, and what fails lets it go", async () => {
  const path = join(aFolder(), "a.lock");
  let inside = 0;
  let most = 0;
  const hold = async (index: number): Promise<void> => {
    await withLock(path, async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      if (index % 3 === 0) throw new Error("inside");
    }).catch(() => undefined);
  };

  await Promise.all(Array.from({ length: 12 }, (_, index) => hold(index)));

  expect(most).toBe(1);
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

it("the lock of a process that died is broken", async () => {
  const path = join(aFolder(), "a.lock");
  writeFileSync(path, "of a dead one");
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(path, longAgo, longAgo);

  const done = await withLock(path, async () => readFileSync(path, "utf8"));

  expect(done).not.toBe("of a dead one");
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

it("the lock of a process that died is broken, also when the clock was set back since", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const path = join(aFolder(), "a.lock");
  writeFileSync(path, "of a dead one");
  const tomorrow = new Date(Date.now() + 86_400_000);
  utimesSync(path, tomorrow, tomorrow);
  const seen: string[] = [];

  const waiting = withLock(path, async () => seen.push(readFileSync(path, "utf8")));
  while (seen.length === 0) {
    // Only where it waits: looking at files takes what it takes.
    if (vi.getTimerCount() > 0) await vi.advanceTimersByTimeAsync(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await waiting;

  expect(seen).toEqual([expect.not.stringContaining("dead")]);
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

it("of many processes that add to one value, none loses what another added", async () => {
  const dir = aFolder();
  const program = join(dir, "adder.mjs");
  await build({
    ...asProgram,
    stdin: {
      contents: `import { updateLocal } from "./src/storage/local/local-state.ts";
        for (let n = 0; n < 10; n += 1)
          await updateLocal(process.argv[2], "numbers", (now) => [...(now ?? []), process.argv[3] + ":" + n]);`,
      resolveDir: process.cwd(),
    },
    outfile: program,
  });

  await Promise.all(
    Array.from(
      { length: 4 },
      (_, index) =>
        new Promise<void>((resolve, reject) => {
          execFile(process.execPath, [program, dir, String(index)], (error) =>
            error ? reject(error) : resolve(),
          );
        }),
    ),
  );

  expect(new Set((await readLocal(dir, "numbers")) as string[]).size).toBe(40);
  expect(readdirSync(join(dir, ".local")).sort()).toEqual([".gitignore", "numbers.json"]);
});

it("a value that stays as it is is not written", async () => {
  const dir = aFolder();
  await updateLocal(dir, "numbers", () => [1]);
  const path = join(dir, ".local/numbers.json");
  const old = new Date(1_000_000);
  utimesSync(path, old, old);

  await updateLocal(dir, "numbers", (now) => now);

  expect(await readLocal(dir, "numbers")).toEqual([1]);
  expect(statSync(path).mtimeMs).toBe(1_000_000);
});
