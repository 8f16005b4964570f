import { describe, expect, it } from "vitest";
import type { TestRef } from "../../../src/core/call.ts";
import { createMovedFiles } from "../../../src/editor/test-code/moved-files-model.ts";

/** A folder whose files declare these tests, with the tests of calls that are missing. */
function aFolderOf(files: Record<string, readonly string[]>, missing: readonly TestRef[]) {
  const told: string[] = [];
  const moved = createMovedFiles({
    tests: () => missing,
    exists: (file) => Promise.resolve(file in files),
    declares: (file, { name }) => Promise.resolve(files[file]?.includes(name.join(" ")) === true),
    renamed: (from, to) => told.push(`${from} → ${to}`),
    removed: (file) => told.push(`${file} is gone`),
  });
  return { moved, told };
}

const hi: TestRef = { file: "tests/chat.test.ts", name: ["says hi"] };
const bye: TestRef = { file: "tests/chat.test.ts", name: ["says bye"] };

describe("the rows of a test file", () => {
  it("follow it to its new name, in whatever order the system reports", async () => {
    const { moved, told } = aFolderOf({ "spec/talk.test.ts": ["says hi", "says bye"] }, [hi, bye]);

    moved.created("spec/talk.test.ts");
    moved.deleted("tests/chat.test.ts");
    await moved.settle();

    expect(told).toEqual(["tests/chat.test.ts → spec/talk.test.ts"]);
  });

  it("follow it with the folder around it", async () => {
    const { moved, told } = aFolderOf({ "spec/chat.test.ts": ["says hi"], "spec/a.test.ts": ["says hi"] }, [
      hi,
    ]);

    moved.deleted("tests");
    moved.created("spec/a.test.ts");
    moved.created("spec/chat.test.ts");
    await moved.settle();

    expect(told).toEqual(["tests/chat.test.ts → spec/chat.test.ts"]);
  });

  it("go with it where it went away, and with a switch to a branch without it", async () => {
    const { moved, told } = aFolderOf({ "tests/other.test.ts": ["says ho"] }, [hi]);

    moved.deleted("tests/chat.test.ts");
    moved.created("tests/other.test.ts");
    await moved.settle();

    expect(told).toEqual(["tests/chat.test.ts is gone"]);
  });

  it("stay where it was only written anew, and where another file went", async () => {
    const { moved, told } = aFolderOf({ "tests/chat.test.ts": ["says hi"] }, [hi]);

    moved.deleted("tests/chat.test.ts");
    moved.deleted("tests/other.test.ts");
    moved.created("tests/chat.test.ts");
    await moved.settle();
    await moved.settle();

    expect(told).toEqual([]);
  });
});
