import type { Arguments } from "../command.ts";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { cassetteFolderUnusable, explain, isTapedeckError, wrongUsage } from "../../core/errors.ts";
import { openDeck, type Deck } from "../../deck/deck.ts";
import type { DeckOptions } from "../../deck/deck-options.ts";
import { straysIn, type Stray } from "../../storage/folder/survey.ts";
import { rspCacheStore } from "../../systems/metagpt/cache/rsp-cache-store.ts";
import { DEFAULT_DIR, readDir, type NamedDir, inspectFolder } from "./dir.ts";
import { pricesAt } from "./named-files.ts";
import { tell, type Terminal } from "../terminal.ts";

export const DIR_HELP = [
  "--dir D",
  `the cassette folder (default ${DEFAULT_DIR}), or MetaGPT's rsp_cache.json`,
] as const;

/** A cassette folder opened to be looked at. */
export interface OpenFolder extends NamedDir {
  readonly deck: Deck;
  /** What lies among the recordings and is none. */
  readonly strays: () => Promise<readonly Stray[]>;
}

/**
 * Opens the folder of `--dir`. Without the option, a project that has none yet has no recordings, and is told so.
 * With `team`, what came from a team is in it as well.
 * @throws TapedeckError `tapedeck_cassette` where the folder that was named is not there, or is unusable.
 */
export async function openFolder(
  args: Arguments,
  terminal: Terminal,
  { team = false }: { readonly team?: boolean } = {},
): Promise<OpenFolder> {
  const isNamed = args.has("dir");
  const { dir, shownDir } = readDir(args, terminal);
  // A file is MetaGPT's rsp_cache.json, opened in place.
  if (isNamed && (await isFile(dir)))
    return {
      dir: dirname(dir),
      shownDir,
      deck: openDeck({ dir: dirname(dir), store: rspCacheStore(dir), project: false }),
      strays: async () => [],
    };
  if ((await inspectFolder(dir, { writes: false })) === "absent") {
    if (isNamed) throw cassetteFolderUnusable(dir, "it does not exist.");
    terminal.err(`The cassette folder ${shownDir} does not exist: nothing is recorded.\n`);
  }
  const prices = args.value("prices");
  const own = prices === undefined ? {} : await pricesAt(resolve(terminal.cwd, prices), terminal.cwd);
  const deck = openDeck({ dir, prices: own, team });
  await deck.project.reload();
  const { problem } = deck.project.current;
  if (problem !== undefined) tell(terminal, "warning", explain(problem));
  return { dir, shownDir, deck, strays: () => straysIn(dir) };
}

/** Where the tests of a cassette folder's recordings are looked for. */
export function rootsOf(dir: string, { cwd }: Terminal): readonly string[] {
  return [...new Set([dirname(dir), cwd])];
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
    throw isTapedeckError(error) ? wrongUsage(error.message, error.hint) : error;
  }
}
