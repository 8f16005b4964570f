import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isWrittenAfter } from "../../../src/editor/checks/check-model.ts";
import { aFolder } from "../../support/a-folder.ts";

it("a file that was there when the check began was not written after it, however fast the check follows", () => {
  const file = join(aFolder(), "a.json");
  const judged = Array.from({ length: 200 }, () => {
    writeFileSync(file, "{}");
    return isWrittenAfter(statSync(file), Date.now());
  });

  expect(judged).not.toContain(true);
  expect(isWrittenAfter({ mtimeMs: 1_001.2 }, 1_000)).toBe(true);
});
