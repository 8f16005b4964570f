import { joinSentences, localize } from "../../core/base/localize.ts";
import type { Arguments } from "../command.ts";
import { lstatSync, realpathSync } from "node:fs";
import { stat, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve, relative } from "node:path";
import {
  createCassetteFolderUnusable,
  explain,
  isTapedeckError,
  createWrongUsage,
  createCannotWrite,
} from "../../core/base/errors.ts";
import { openDeck, type Deck } from "../../deck/deck.ts";
import type { DeckOptions } from "../../deck/deck-options.ts";
import { listStrays, type Stray } from "../../storage/folder/folder-store.ts";
import { createRspCacheStore } from "../../systems/metagpt/cache/rsp-cache-store.ts";
import { DEFAULT_DIR, readDir, type NamedDir, inspectFolder, formatFoldersBelow } from "./dir.ts";
import { printMessage, type Terminal } from "../terminal.ts";
import { tryParsePlainJson } from "../../core/base/lenient.ts";
import { type OwnPrices, describeExpectedPrices, readPrices } from "../../core/view/prices/own-prices.ts";

export const getDirHelp = () =>
  [
    "--dir D",
    localize("the cassette folder (default {0}), or MetaGPT's rsp_cache.json", DEFAULT_DIR),
  ] as const;

export interface OpenFolder extends NamedDir {
  readonly deck: Deck;
  readonly prices: OwnPrices;
  /** Finds files in the folder that are not recordings. */
  readonly strays: () => Promise<readonly Stray[]>;
}

/**
 * Opens the folder of `--dir`. Without the option, a project that has no folder yet has no recordings, and a notice
 * is printed. With `team`, recordings from the team cache are included.
 * @throws TapedeckError `tapedeck_cassette` if the named folder does not exist or is unusable.
 */
export async function openFolder(
  args: Arguments,
  terminal: Terminal,
  { team = false }: { readonly team?: boolean } = {},
): Promise<OpenFolder> {
  const isNamed = args.has("dir");
  const { dir, shownDir, project } = readDir(args, terminal);
  // A file is MetaGPT's rsp_cache.json, opened in place.
  if (isNamed && (await isFile(dir)))
    return {
      dir: dirname(dir),
      shownDir,
      project,
      deck: openDeck({ dir: dirname(dir), store: createRspCacheStore(dir), project: false }),
      prices: {},
      strays: async () => [],
    };
  if ((await inspectFolder(dir, { writes: false })) === "absent") {
    if (isNamed) throw createCassetteFolderUnusable(dir, localize("it does not exist."));
    const text = localize("The cassette folder {0} does not exist, so there are no recordings.", shownDir);
    terminal.err(`${joinSentences(text, formatFoldersBelow(terminal.cwd))}\n`);
  }
  const prices = args.value("prices");
  const own = prices === undefined ? {} : await readPricesFile(resolve(terminal.cwd, prices), terminal.cwd);
  const deck = openDeck({ dir, prices: own, team });
  await deck.project.reload();
  const { problem } = deck.project.current;
  if (problem !== undefined) printMessage(terminal, "warning", explain(problem));
  return { dir, shownDir, project, deck, prices: own, strays: async () => listStrays(dir) };
}

/** Returns the folders in which to look for the tests of a folder's recordings. The folder can be a link. */
export function findRoots(dir: string, { cwd }: Terminal): readonly string[] {
  const isLink = lstatSync(dir, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return [...new Set([dirname(dir), cwd, ...(isLink ? [dirname(realpathSync(dir))] : [])])];
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile() && path.endsWith(".json"),
    () => false,
  );
}

/** A deck with addresses from the command line. @throws TapedeckError `tapedeck_usage` for one that is not allowed. */
export function openDeckAsAsked(options: DeckOptions): Deck {
  try {
    return openDeck(options);
  } catch (error) {
    // Only the addresses can be wrong here, and those are what the user wrote.
    throw isTapedeckError(error) ? createWrongUsage(error.message, error.hint) : error;
  }
}

export const getPricesHelp = () =>
  ["--prices FILE", localize("your own prices, which override the built-in ones (JSON)")] as const;

/** Reads the user's prices. @throws TapedeckError `tapedeck_usage` if the file has none or cannot be read. */
export async function readPricesFile(path: string, cwd: string): Promise<OwnPrices> {
  const text = await readTextFile(path, { cwd, what: "prices" });
  const prices = readPrices(tryParsePlainJson(text));
  if (prices !== undefined) return prices;
  throw createWrongUsage(
    localize("The price file {0} cannot be read.", formatPath(path, cwd)),
    localize("Expected: {0}.", describeExpectedPrices()),
  );
}

interface NamedFile {
  readonly cwd: string;
  /** Also the option that names it. */
  readonly what: "script" | "prices" | "chaos";
}

/** @throws TapedeckError `tapedeck_usage` if it cannot be read. */
export async function readTextFile(path: string, { cwd, what }: NamedFile): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const message = localize("The {0} {1} cannot be read: {2}", what, formatPath(path, cwd), explain(error));
    throw createWrongUsage(message, localize("Choose a file with --{0}.", what));
  }
}

/** As people would write it. */
export const formatPath = (path: string, cwd: string): string => relative(cwd, path) || path;

export const getOutHelp = () =>
  ["--out FILE", localize("the output file, or - for standard output, the default")] as const;

/** Writes a command's result to the file of `--out`, or to standard output. @throws TapedeckError if that fails. */
export async function writeOutput(text: string, out: string | undefined, terminal: Terminal): Promise<void> {
  if (out === undefined || out === "-") return terminal.outAsIs(text);
  try {
    await writeFile(resolve(terminal.cwd, out), text);
  } catch (cause) {
    throw createCannotWrite(out, "--out", cause);
  }
}
