import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { listDifferences } from "../../../src/core/match/differences/differences.ts";
import { chat } from "../../core/match/requests.ts";

const grammar = JSON.parse(
  readFileSync(new URL("../../../media/tapedeck-call.tmLanguage.json", import.meta.url), "utf8"),
) as {
  repository: { differences: { captures: { 1: { patterns: readonly [{ match: string }] } } } };
};
const changed = new RegExp(grammar.repository.differences.captures[1].patterns[0].match, "u");

const asking = (content: string, temperature: number) =>
  chat({ messages: [{ role: "user", content }], temperature });

it("the page of a call colors place, recorded and asked words apart", () => {
  const recordedWith = asking("Today is Monday. What day is it?", 0);
  const found = listDifferences(recordedWith, asking("Today is Friday. What day is it?", 1));

  const colored = [...found]
    .sort((a, b) => a.at.localeCompare(b.at))
    .map(({ text }) => {
      const [, place, , recorded, , asked] = changed.exec(text) ?? [];
      return { place, recorded, asked };
    });

  expect(colored).toEqual([
    { place: "messages[0] (user), sentence 1:", recorded: '"Monday"', asked: '"Friday"' },
    { place: "temperature", recorded: "0", asked: "1" },
  ]);
});
