import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createNamedByRules } from "../../../src/storage/folder/find-recordings.ts";
import { aFolder } from "../../support/a-folder.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** A mark that is not there, in a folder with nothing in it. */
function setUp() {
  const dir = aFolder();
  const mark = createNamedByRules(dir);
  const seen = [mark.isThere()];
  return { path: join(dir, "named-by-rules.txt"), mark, seen };
}

it("that another process made it is seen a moment later", () => {
  const { path, mark, seen } = setUp();

  writeFileSync(path, "");
  for (let look = 0; look < 3; look += 1) {
    vi.advanceTimersByTime(300);
    seen.push(mark.isThere());
  }

  expect(seen).toEqual([false, true, true, true]);
});

it("that this program made it is known at once", async () => {
  const { path, mark, seen } = setUp();

  await mark.make();
  seen.push(mark.isThere());
  await mark.make();

  expect([seen, existsSync(path)]).toEqual([[false, true], true]);
});

it("that a recording said what no file says is remembered", () => {
  const { path, mark, seen } = setUp();

  mark.seen();
  vi.advanceTimersByTime(300);
  seen.push(mark.isThere());

  expect([seen, existsSync(path)]).toEqual([[false, true], false]);
});
