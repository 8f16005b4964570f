import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { aProject, type Project } from "../../fixtures/runners/project.ts";
import { callingTests, HELPER, type Dialect } from "./calling-tests.ts";
import { packageFolder, type Generation } from "./installed.ts";

/** The folders of packages by their names, as `aProject` takes them. */
export function packagesOf(
  generation: Generation,
  names: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, packageFolder(generation, name)]));
}

/** A folder that is gone when the test is over. */
export function aTemporaryProject(...given: Parameters<typeof aProject>): Project {
  const project = aProject(...given);
  onTestFinished(() => project.remove());
  return project;
}

const SDKS = ["openai", "@anthropic-ai/sdk"];

/** Two files of calling tests, so that workers run beside each other, and the helper both use. */
export function aCallingProject(
  dialect: Dialect,
  packages: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): Project {
  return aTemporaryProject(
    {
      "package.json": "{}",
      "support/llm.ts": HELPER,
      "a.test.ts": callingTests("a.test.ts", dialect),
      "b.test.ts": callingTests("b.test.ts", dialect),
      ...files,
    },
    { ...packagesOf("current", SDKS), ...packages },
  );
}

/** A runner's name and installed version, which has to be of that major one. */
export function nameOf(generation: Generation, name: string, major: string): string {
  const { version } = JSON.parse(
    readFileSync(join(packageFolder(generation, name), "package.json"), "utf8"),
  ) as { readonly version: string };
  expect(version.startsWith(major)).toBe(true);
  return `${name.replace("@playwright/test", "Playwright")} ${version}`;
}
