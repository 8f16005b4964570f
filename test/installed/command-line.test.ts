import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { anUpstream } from "../cli/an-upstream.ts";
import { aFolder } from "../support/a-folder.ts";
import { casesOf } from "../support/cases.ts";
import { aFolderBelow, typed } from "./support/typed.ts";

const { version } = JSON.parse(readFileSync(join(rootDir, "package.json"), "utf8")) as { version: string };

/** A test without a runner, which sends the prompts in its environment. */
const TEST = `
for (const content of process.env.WORDS.split(" ")) {
  const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content }] }),
  });
  console.log(response.headers.get("x-tapedeck-outcome"));
}
`;

test("npx starts the program from the archive", async () => {
  const line = `npx --yes --offline --package "${inject("tarball")}" tapedeck --version`;

  expect(await typed(line, { cwd: aFolder() })).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

const COMMANDS = casesOf({
  quick: ["npx tapedeck"],
  long: ["npx tapedeck", "npx --package llm-tapedeck tapedeck"],
});

test.each(COMMANDS)("%s run records, then replays, and ends with 3 after a miss", async (command) => {
  const cwd = aFolderBelow({ "test.mjs": TEST });
  const { options, requests } = await anUpstream();

  const record = `${command} run --mode record ${options.join(" ")} -- node test.mjs`;
  const recorded = await typed(record, { cwd, env: { WORDS: "hello" } });
  const missed = await typed(`${command} run -- node test.mjs`, { cwd, env: { WORDS: "hello other" } });

  expect(recorded).toMatchObject({ code: 0, stdout: "recorded\n" });
  expect(missed).toMatchObject({ code: 3, stdout: "replayed\nmiss\n" });
  expect(missed.stderr).toContain("npx tapedeck run --mode record --last");
  expect(requests).toHaveLength(1);
});
