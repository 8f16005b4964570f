import { createWrongUsage } from "../core/base/errors.ts";
import { createTestRef, withTape, type Tape, type TapeOptions } from "./tape.ts";

export type { Tape, TapeOptions } from "./tape.ts";

export type TapedBody = (fixtures: { readonly tapedeck: Tape }) => unknown;

/** The parts of jest's globals that are used. */
interface JestGlobals {
  readonly test: (name: string, body: () => Promise<void>, timeoutMs?: number) => void;
  readonly expect: { getState(): { readonly testPath?: string; readonly currentTestName?: string } };
}

/** jest's `test` with a tape: `test("asks", async ({ tapedeck }) => { … })`. @throws TapedeckError outside of jest */
export function tapedeckTest(
  options?: TapeOptions,
): (name: string, body: TapedBody, timeoutMs?: number) => void {
  return (name, body, timeoutMs) => {
    const { test: plain, expect } = globals();
    const run = async (): Promise<void> => {
      const { testPath, currentTestName = name } = expect.getState();
      // jest joins the titles of suites and test by blanks; only the test's own is known apart.
      const suites = currentTestName.endsWith(name) ? currentTestName.slice(0, -name.length).trim() : "";
      const ref = createTestRef(testPath, suites === "" ? [name] : [suites, name], "jest");
      await withTape(ref, options, async (tapedeck) => {
        await body({ tapedeck });
      });
    };
    if (timeoutMs === undefined) plain(name, run);
    else plain(name, run, timeoutMs);
  };
}

/** `tapedeckTest()` with its defaults. */
export const test = tapedeckTest();

function globals(): JestGlobals {
  const { test: plain, expect } = globalThis as Partial<JestGlobals>;
  if (typeof plain === "function" && expect !== undefined) return { test: plain, expect };
  throw createWrongUsage(
    "jest's globals test and expect are not there.",
    "Run this file with jest, and leave injectGlobals on.",
  );
}
