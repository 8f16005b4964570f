import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { TestRef } from "../../core/call/call.ts";
import { isTexts, readFields, tryParsePlainJson } from "../../core/base/lenient.ts";
import { getPathInside } from "../../storage/inside.ts";
import { readBytesNow } from "../../storage/folder/read-file.ts";

interface MochaContext {
  readonly currentTest?: { readonly file?: string; titlePath(): string[] } | undefined;
}

interface RunningTest {
  readonly file: string;
  readonly name: readonly string[];
  readonly execution: string;
}

let running: RunningTest | undefined;
let count = 0;

/**
 * Root hooks for a mocha that runs in the extension host. They report which test calls a language model, because no
 * variable and no stack does: `mocha.rootHooks(tapedeck.mochaHooks)`.
 */
export const mochaHooks = {
  beforeEach(this: MochaContext): void {
    const { currentTest } = this;
    count += 1;
    running = currentTest?.file
      ? { file: currentTest.file, name: currentTest.titlePath(), execution: `vscode-${count}` }
      : undefined;
  },
  afterEach(): void {
    running = undefined;
  },
};

/** Returns the test that runs now, if it is in the folder and mocha reports it. */
export function getCurrentTest(folder: string): TestRef | undefined {
  if (running === undefined) return undefined;
  const file = getPathInside(folder, findSource(running.file));
  return file === undefined ? undefined : { ...running, file, runner: "mocha" };
}

/** Returns the source of a compiled file, from the map beside it. */
function findSource(file: string): string {
  const map = `${file}.map`;
  if (!existsSync(map)) return file;
  const { sources, sourceRoot = "" } = readFields(tryParsePlainJson(readBytesNow(map).toString("utf8")));
  const [source] = isTexts(sources) ? sources : [];
  return source === undefined ? file : resolve(dirname(file), String(sourceRoot), source);
}
