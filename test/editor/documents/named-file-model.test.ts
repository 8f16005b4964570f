import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectNamedFile, findNamedFile } from "../../../src/editor/documents/named-file-model.ts";
import { aFolder } from "../../support/a-folder.ts";

function aWorkspace() {
  const outside = aFolder();
  const folder = join(outside, "workspace");
  mkdirSync(join(folder, "tests"), { recursive: true });
  writeFileSync(join(outside, "secret.txt"), "");
  writeFileSync(join(folder, "tests", "chat.test.ts"), "");
  return { folder, outside };
}

describe("the file that a recording names as its test's", () => {
  it("is opened where it is in the workspace folder", () => {
    const { folder } = aWorkspace();

    expect(expectNamedFile(folder, "tests/chat.test.ts")).toBe(join(folder, "tests", "chat.test.ts"));
  });

  it.each(["../secret.txt", "tests/../../secret.txt", "/etc/passwd", ".."])(
    "is refused by name: %s",
    (name) => {
      const { folder } = aWorkspace();

      expect(findNamedFile(folder, name)).toBeUndefined();
      expect(() => expectNamedFile(folder, name)).toThrow(`"${name}" is outside the workspace folder`);
    },
  );

  it("is refused when a link in the folder leads out of it", () => {
    const { folder, outside } = aWorkspace();
    symlinkSync(outside, join(folder, "linked"));

    expect(() => expectNamedFile(folder, "linked/secret.txt")).toThrow("is outside the workspace folder");
  });

  it("that is gone is reported as such", () => {
    const { folder } = aWorkspace();

    expect(() => expectNamedFile(folder, "tests/gone.test.ts")).toThrow(
      'The test file "tests/gone.test.ts" does not exist.',
    );
  });
});
