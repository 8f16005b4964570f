import { expect, test } from "vitest";
import { openDeck } from "../../src/index.ts";
import { aFolder } from "../support/a-folder.ts";

test("a miss of a program's own deck names the run that records it, which no command starts", async () => {
  const deck = openDeck({ dir: aFolder() });

  const reply = await deck.fetch(deck.createRun("strict"))("https://api.openai.com/v1/models");

  expect(await reply.text()).toMatch(/To record it, make the call in a run that records: deck\.createRun/);
});

test("a run refuses a mode that is none, before any call", () => {
  const deck = openDeck({ dir: aFolder() });

  // @ts-expect-error -- programs without types may pass it
  expect(() => deck.createRun("rekord")).toThrow('There is no mode "rekord".');
});
