import { expect, it } from "vitest";
import { cassetteFolderUnusable } from "../../../src/core/base/errors.ts";
import { createUnwritableWatch } from "../../../src/editor/session/unwritable-model.ts";
import { storageFailure } from "../../../src/storage/folder/failures.ts";

const DIR = "/project/.tapedeck";
const refusedBy = (code: string, words = code) =>
  storageFailure(DIR, Object.assign(new Error(words), { code }));

function aWatch() {
  const said: string[] = [];
  const clock = { ms: 0 };
  const watch = createUnwritableWatch({ say: (text) => said.push(text), now: () => clock.ms });
  return { watch, said, clock };
}

it("a full disk is said once, with what happened, on what, and what to do", () => {
  const { watch, said } = aWatch();

  for (let call = 0; call < 3; call += 1) watch.failed(refusedBy("ENOSPC"));

  expect(said).toEqual([
    "Answers reach their callers, but are not recorded. The recording could not be written to /project/.tapedeck: the disk is full. Free some space and make the call again; what was recorded before is intact.",
  ]);
});

it("another reason is said as well, and one in the system's own words once, whatever file they name", () => {
  const { watch, said } = aWatch();

  for (const reason of [
    refusedBy("ENOSPC"),
    refusedBy("EROFS"),
    cassetteFolderUnusable(DIR, "calls in it is a symbolic link, and nothing is written through one."),
    refusedBy("EXDEV", "cross-device link a.tmp"),
    refusedBy("EXDEV", "cross-device link b.tmp"),
    refusedBy("EROFS"),
  ])
    watch.failed(reason);

  expect(said.map((text) => /full|read-only|symbolic link|cross-device link a/u.exec(text)?.[0])).toEqual([
    "full",
    "read-only",
    "symbolic link",
    "cross-device link a",
  ]);
});

it("a reason is news again after something was recorded, though not at each turn of a disk that is all but full", () => {
  const { watch, said, clock } = aWatch();
  const calls = (): void => {
    watch.failed(refusedBy("ENOSPC"));
    watch.recorded();
  };

  calls();
  clock.ms = 9_000;
  calls();
  const meanwhile = said.length;
  clock.ms = 11_000;
  calls();

  expect([meanwhile, said.length]).toEqual([1, 2]);
});
