import { test as plain } from "vitest";
import { openTape, createTestRef, type Tape, type TapeOptions } from "./tape.ts";

export type { Tape, TapeOptions } from "./tape.ts";

/**
 * Vitest's `test` with a fixture `tapedeck`: `test("asks", async ({ tapedeck }) => { … })`. A test that passes keeps
 * what it recorded; one that missed a recording fails with the miss's text.
 */
export function tapedeckTest(options?: TapeOptions) {
  return plain.extend<{ tapedeck: Tape }>({
    // oxlint-disable-next-line no-empty-pattern -- what is taken decides which fixtures are set up
    tapedeck: async ({ task }, use) => {
      const { tape, end } = await openTape(
        createTestRef(task.file.filepath, titlesOf(task), "vitest"),
        options,
      );
      await use(tape);
      await end(task.result?.state === "fail" ? "failed" : "passed");
    },
  });
}

/** `tapedeckTest()` with its defaults. */
export const test = tapedeckTest();

interface TitledTask {
  readonly name: string;
  readonly suite?: TitledTask | undefined;
}

function titlesOf({ name, suite }: TitledTask): readonly string[] {
  return [...(suite === undefined || suite.name === "" ? [] : titlesOf(suite)), name];
}
