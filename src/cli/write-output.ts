import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { cannotWrite } from "../core/errors.ts";
import type { Terminal } from "./terminal.ts";

export const OUT_HELP = ["--out FILE", "where to; standard output otherwise"] as const;

/** Writes what a command made to the file of `--out`, else to standard output. @throws TapedeckError where it cannot. */
export async function writeOutput(text: string, out: string | undefined, terminal: Terminal): Promise<void> {
  if (out === undefined) return terminal.outAsIs(text);
  try {
    await writeFile(resolve(terminal.cwd, out), text);
  } catch (cause) {
    throw cannotWrite(out, "--out", cause);
  }
}
