import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";

const { version } = JSON.parse(readFileSync(join(rootDir, "package.json"), "utf8")) as { version: string };

/** Runs a line as a person types it: by a shell, in the project that has the package. */
function typed(line: string): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  return spawnSync(line, { cwd: inject("project"), encoding: "utf8", shell: true });
}

test("npx starts the installed program", () => {
  expect(typed("npx tapedeck --version")).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" });
});
