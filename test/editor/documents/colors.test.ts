import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { listDifferences } from "../../../src/core/match/differences/differences.ts";
import { chat } from "../../core/match/requests.ts";

const readJson = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8"));
const { repository } = readJson("media/tapedeck-call.tmLanguage.json") as {
  repository: {
    differences: { captures: { 1: { patterns: readonly [{ match: string }] } } };
    settings: { begin: string };
    header: { patterns: readonly { match?: string; name?: string; captures?: object }[] };
  };
};
const changed = new RegExp(repository.differences.captures[1].patterns[0].match, "u");

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

it("colors the labels of a recording's header in English and Chinese", () => {
  const chinese = readJson("l10n/bundle.l10n.zh-cn.json") as Readonly<Record<string, string>>;
  const labels = repository.header.patterns.find(({ captures }) => captures !== undefined)?.match ?? "(?!)";

  for (const label of ["used by", "made by", "follows", "file"])
    for (const text of [label, chinese[label]]) expect(`${text}  x`).toMatch(new RegExp(labels, "u"));
});

it("colors parameters in English and Chinese", () => {
  const chinese = readJson("l10n/bundle.l10n.zh-cn.json") as Readonly<Record<string, string>>;

  for (const title of ["parameters", chinese["parameters"]])
    expect(`── ${title} ───`).toMatch(new RegExp(repository.settings.begin, "u"));
});
