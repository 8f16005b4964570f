import { readdirSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isFields } from "../../core/base/lenient.ts";
import { readEntry } from "../../core/cassette/address.ts";
import { NO_CONTENT } from "../../core/cassette/store.ts";
import { getLocalPath, openLocalFolder } from "../local/local-state.ts";
import { createTemporaryPath, discard, isTemporary, renameOver, syncFolder } from "./durable-write.ts";
import { hashFile, isNoFile, isWithoutLinks, readBytesNow } from "./read-file.ts";

/** A temporary file that gets the name of a recording. */
export interface Move {
  readonly entry: string;
  /** Its name in the folder of the entry. */
  readonly temporary: string;
  /** Hash of the file that it replaces; `NOTHING_STOOD` if there is none. */
  readonly standing: string;
}

/** Moves that are made together, and the file that lists them. */
interface CommittedMoves {
  readonly list: string;
  readonly moves: readonly Move[];
}

/** The folder of lists. A list appears there in one step: before it no move is made, and after it every one. */
const COMMITTED = getLocalPath("committed");

/**
 * Commits moves. `plan` compares the present files, and nothing in this process comes between it and the commit. Several moves
 * are made by `settleMoves`, or after a kill by the next reader.
 * @throws the system's error and those of `plan`: nothing is committed then
 */
export async function commitMoves(
  dir: string,
  entries: readonly string[],
  plan: () => readonly Move[],
): Promise<void> {
  const [folder = "", ...others] = foldersOf(dir, entries);
  if (entries.length === 1) {
    for (const move of plan()) renameOver(join(folder, move.temporary), join(dir, move.entry));
    return syncFolder(folder);
  }
  const list = createTemporaryPath(await openLocalFolder(dir, basename(COMMITTED)));
  await Promise.all([folder, ...others].map(syncFolder));
  finishMoves(dir);
  writeFileSync(list, JSON.stringify(plan()), { flag: "wx", flush: true });
  renameSync(list, `${list}.json`);
}

/** Makes all committed moves, durably. @throws the system's error: the next reader goes on then */
export async function settleMoves(dir: string): Promise<void> {
  if (!isWithoutLinks(dir, COMMITTED)) return;
  await syncFolder(join(dir, COMMITTED));
  for (const { list, moves } of finishMoves(dir)) {
    await Promise.all(
      foldersOf(
        dir,
        moves.map(({ entry }) => entry),
      ).map(syncFolder),
    );
    await discard(list);
  }
}

/** Makes all committed moves. A file that was changed after the commit stays. @throws the system's error */
export function finishMoves(dir: string): readonly CommittedMoves[] {
  const committed = readCommitted(dir);
  for (const { moves } of committed) for (const move of moves) finishMove(dir, move);
  return committed;
}

/** Makes a move, unless another process has made it. */
function finishMove(dir: string, { entry, temporary, standing }: Move): void {
  const [from, to] = [join(dir, dirname(entry), temporary), join(dir, entry)];
  if (!isWithoutLinks(dir, dirname(entry))) return;
  try {
    if ((hashFile(to) ?? NO_CONTENT) === standing) renameOver(from, to);
    else unlinkSync(from);
  } catch (error) {
    if (!isNoFile(error)) throw error;
  }
}

function readCommitted(dir: string): readonly CommittedMoves[] {
  if (!isWithoutLinks(dir, COMMITTED)) return [];
  const names = readdirSync(join(dir, COMMITTED)).filter((name) => name.endsWith(".json"));
  return names.map((name) => {
    const list = join(dir, COMMITTED, name);
    return { list, moves: readMoves(list) };
  });
}

/** Returns no moves if another process has made them, or someone else wrote the list. */
function readMoves(list: string): readonly Move[] {
  try {
    const moves: unknown = JSON.parse(readBytesNow(list).toString());
    return Array.isArray(moves) ? moves.filter(isMove) : [];
  } catch (error) {
    if (error instanceof SyntaxError || isNoFile(error)) return [];
    throw error;
  }
}

function isMove(value: unknown): value is Move {
  if (!isFields(value)) return false;
  const { entry, temporary, standing } = value;
  const areTexts = typeof entry === "string" && typeof temporary === "string" && typeof standing === "string";
  return areTexts && isTemporary(temporary) && !("wrong" in readEntry(entry));
}

function foldersOf(dir: string, entries: readonly string[]): readonly string[] {
  return [...new Set(entries.map((entry) => join(dir, dirname(entry))))];
}
