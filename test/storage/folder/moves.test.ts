import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { encodeRecording } from "../../../src/core/cassette/codec.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { settleMoves, type Move } from "../../../src/storage/folder/moves.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aReplyOf, sha256, textOf } from "../../support/a-recording.ts";
import { replyOf } from "../../support/reply-of.ts";

/** A folder with old recordings of some questions, as it is after a process committed new ones and was killed. */
async function aKilledReplacement(
  questions: readonly string[],
  change: (move: Move) => object = (move) => move,
) {
  const dir = join(aFolder(), ".tapedeck");
  const written = createFolderStore(dir);
  const moves: Move[] = [];
  for (const [at, question] of questions.entries()) {
    const { entry } = await written.save(aReplyOf("old", question));
    const temporary = `.1-${String(at).padStart(16, "0")}.tmp`;
    writeFileSync(join(dir, dirname(entry), temporary), encodeRecording(aReplyOf("new", question)).text);
    moves.push({ entry, temporary, standing: sha256(readFileSync(join(dir, entry))) });
  }
  const list = join(dir, ".local", "committed", ".1-0123456789abcdef.tmp.json");
  mkdirSync(dirname(list), { recursive: true });
  writeFileSync(list, JSON.stringify(moves.map(change)));
  const store = createFolderStore(dir);
  const read = async (at: number): Promise<string> =>
    textOf((await replyOf(store, moves[at]?.entry ?? "")).body).slice(9, -2);
  return { dir, list, moves, store, read };
}

it("the first look at one recording finishes the replacement of all, and the next start removes its list", async () => {
  const { dir, list, store, read } = await aKilledReplacement(["a", "b", "c"]);

  const { provider, key } = aReplyOf("", "b");
  store.takes(provider, key);
  expect([await read(0), await read(1), await read(2)]).toEqual(["new", "new", "new"]);
  expect(existsSync(list)).toBe(true);

  await settleMoves(dir);
  expect(existsSync(list)).toBe(false);
});

it("a recording that was edited or deleted after the kill stays so, and leaves no file behind", async () => {
  const { dir, moves, store, read } = await aKilledReplacement(["a", "b", "c"]);
  const [a, b] = moves.map(({ entry }) => join(dir, entry));
  writeFileSync(a ?? "", encodeRecording(aReplyOf("mine", "a")).text);
  await store.remove(moves[1]?.entry ?? "");

  await store.list();

  expect([await read(0), await read(2)]).toEqual(["mine", "new"]);
  expect(existsSync(b ?? "")).toBe(false);
  for (const { entry, temporary } of moves)
    expect(existsSync(join(dir, dirname(entry), temporary))).toBe(false);
});

it.each<[string, (move: Move) => object]>([
  ["an entry outside the folder", (move) => ({ ...move, entry: `../${move.entry}` })],
  ["a file that is not temporary", (move) => ({ ...move, temporary: "../../../tapedeck.jsonc" })],
  ["no moves", () => [1]],
])("a list with %s moves nothing", async (_, change) => {
  const { dir, store, read } = await aKilledReplacement(["a", "b"], change);

  await store.list();
  await settleMoves(dir);

  expect([await read(0), await read(1)]).toEqual(["old", "old"]);
});

it("nothing is moved through a link, or by a list behind one", async () => {
  const { dir, list, store, read } = await aKilledReplacement(["a", "b"]);
  const elsewhere = join(aFolder(), "committed");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, basename(list)), readFileSync(list));
  rmSync(dirname(list), { recursive: true });
  symlinkSync(elsewhere, dirname(list));

  await store.list();
  await settleMoves(dir);

  expect([await read(0), await read(1)]).toEqual(["old", "old"]);
});
