import { readFile, writeFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { explain, wrongUsage, cannotWrite } from "../../core/errors.ts";
import { jsonIn } from "../../core/protocol/base/lenient.ts";
import type { Terminal } from "../terminal.ts";
import { type OwnPrices, PRICES_EXPECTED, readPrices } from "../../core/budget/own-prices.ts";

export const PRICES_HELP = ["--prices FILE", "prices of your own, before the built-in ones (JSON)"] as const;

/** Prices of the user's own. @throws TapedeckError `tapedeck_usage` for a file that has none, or cannot be read. */
export async function pricesAt(path: string, cwd: string): Promise<OwnPrices> {
  const text = await textAt(path, { cwd, what: "prices" });
  const prices = readPrices(jsonIn(text));
  if (prices !== undefined) return prices;
  throw wrongUsage(
    `The prices ${shownAs(path, cwd)} cannot be read.`,
    `The file has to be ${PRICES_EXPECTED}.`,
  );
}

interface NamedFile {
  readonly cwd: string;
  /** Also the option that names it. */
  readonly what: "script" | "prices" | "chaos";
}

/** @throws TapedeckError `tapedeck_usage` where it cannot be read. */
export async function textAt(path: string, { cwd, what }: NamedFile): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const message = `The ${what} ${shownAs(path, cwd)} cannot be read: ${explain(error)}`;
    throw wrongUsage(message, `Name a file with --${what}.`);
  }
}

/** As people would write it. */
export const shownAs = (path: string, cwd: string): string => relative(cwd, path) || path;

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
