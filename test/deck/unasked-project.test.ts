import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDeck } from "../../src/deck/deck.ts";
import { aFolder } from "../support/a-folder.ts";

it("a project's file is left alone for as long as its deck's caller wants, and counts from the next look on", async () => {
  const root = aFolder();
  const dir = join(root, ".tapedeck");
  mkdirSync(dir);
  writeFileSync(join(root, "tapedeck.jsonc"), "{ broken");
  let isWanted = false;
  const deck = openDeck({ dir, project: () => isWanted });
  const notices: string[] = [];
  deck.onNotice(({ message }) => notices.push(message));

  await deck.project.reload();
  await deck.project.refresh();
  const before = deck.project.current.problem;
  isWanted = true;
  await deck.project.reload();

  expect(before).toBeUndefined();
  expect(notices).toHaveLength(1);
  expect(deck.project.current.problem?.message).toContain("tapedeck.jsonc");
  await deck.close();
});
