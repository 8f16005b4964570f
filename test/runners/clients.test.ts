import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { askAll, LANGUAGES, missing, type Way } from "../../scripts/checks/clients.mjs";
import { rootDir } from "../../scripts/host/paths.mjs";
import { casesOf } from "../support/cases.ts";

vi.setConfig({ testTimeout: 600_000 });

const COLUMNS = ["variable", "default", "code", "line"];

/** Returns, by client of a language, whether docs/tables/clients.md lists its calls as arriving in that way. */
function saidOf(language: string, way: Way): Record<string, boolean> {
  const { title = "" } = LANGUAGES[language] ?? {};
  const rows = readFileSync(join(rootDir, "docs", "tables", "clients.md"), "utf8").split("\n");
  return Object.fromEntries(
    rows
      .filter((row) => row.startsWith(`| ${title} |`))
      .map((row) => row.split("|").map((cell) => cell.trim()))
      .map((cells) => [cells[2] ?? "", cells[4 + COLUMNS.indexOf(way)] ?? ""] as const)
      .filter(([, said]) => said !== "")
      .map(([client, said]) => [client, said !== "no"]),
  );
}

/** curl through the proxy, which needs no installation; every client in every way in a long run. */
const cases = casesOf({
  quick: [["curl", ["default"]]] as const,
  long: Object.entries(LANGUAGES).map(([name, { ways }]) => [name, ways] as const),
});

for (const [language, ways] of cases) {
  const { title = language } = LANGUAGES[language] ?? {};
  const reason = missing(language);
  test.skipIf(reason !== undefined).each(ways)(
    `the calls of clients for ${title} arrive as documented, by %s${reason === undefined ? "" : ` (${reason})`}`,
    async (way) => {
      const asked = await askAll(language, way);

      const found = Object.fromEntries([...asked].map(([client, { reached }]) => [client, reached]));
      expect(found).toMatchObject(saidOf(language, way));
    },
  );
}
