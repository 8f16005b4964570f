import { test as plain, type TestContext } from "node:test";
import { createTestRef, withTape, type Tape, type TapeOptions } from "./tape.ts";

export type { Tape, TapeOptions } from "./tape.ts";

/** A test's body, with `tapedeck` beside node:test's own context. */
export type NodeTestBody = (fixtures: { readonly tapedeck: Tape; readonly t: TestContext }) => unknown;

/** node:test's `test` with a tape: `test("asks", async ({ tapedeck }) => { … })`. */
export function tapedeckTest(options?: TapeOptions): (name: string, body: NodeTestBody) => Promise<void> {
  return (name, body) =>
    plain(name, async (t) => {
      // node:test runs each file in a separate process, which is started with the file's name.
      const full = "fullName" in t && typeof t.fullName === "string" ? t.fullName : name;
      const ref = createTestRef(process.argv[1], full.split(" > "), "node:test");
      await withTape(ref, options, async (tapedeck) => {
        await body({ tapedeck, t });
      });
    });
}

/** `tapedeckTest()` with its defaults. */
export const test = tapedeckTest();
