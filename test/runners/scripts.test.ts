import { join } from "node:path";
import { expect, test } from "vitest";
import { packageFolder } from "./support/installed.ts";
import { toldOf } from "../fixtures/runners/hooked.ts";

const TYPED = `interface Ask {
  url: string;
}

const { url }: Ask = { url: process.env["TAPEDECK_URL"]! };
await fetch(url);
`;

test.each([
  ["tsx SCRIPT", ["cli"]],
  ["node --import tsx SCRIPT", ["import"]],
])("%s: the script names the call, with its line in TypeScript", async (_, [how]) => {
  const tsx = packageFolder("current", "tsx");
  const start =
    how === "cli" ? [join(tsx, "dist/cli.mjs")] : ["--import", `file://${join(tsx, "dist/loader.mjs")}`];

  const told = await toldOf({ "scripts/ask.mts": TYPED }, process.execPath, [...start, "scripts/ask.mts"]);

  expect(told).toMatchObject([{ file: "scripts/ask.mts", name: [], line: 6 }]);
});
