import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { anUpstream } from "../cli/an-upstream.ts";
import { aFolder } from "../support/a-folder.ts";
import { casesOf } from "../support/cases.ts";
import { aFolderBelow, typed } from "./support/typed.ts";

const { version } = JSON.parse(readFileSync(join(rootDir, "package.json"), "utf8")) as { version: string };

/** A test without a runner, which sends the prompt in its environment. */
const TEST = `
const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  headers: { "content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY },
  body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: process.env.WORDS ?? "hello" }] }),
});
console.log(response.headers.get("x-tapedeck-outcome"));
`;

test.each([
  ["from the project", "npx tapedeck", () => inject("project")],
  ["from the archive", () => `npx --yes --offline --package "${inject("tarball")}" tapedeck`, aFolder],
])("npx starts the program %s", async (_, command, cwd) => {
  const line = `${typeof command === "string" ? command : command()} --version`;

  expect(await typed(line, { cwd: cwd() })).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

const COMMANDS = casesOf({
  quick: ["npx tapedeck"],
  long: ["npx tapedeck", "npx --package llm-tapedeck tapedeck"],
});

test.each(COMMANDS)("%s run records, then replays, and ends with 3 after a miss", async (command) => {
  const cwd = aFolderBelow({ "test.mjs": TEST });
  const { options, requests } = await anUpstream();

  const recorded = await typed(`${command} run --mode record ${options.join(" ")} -- node test.mjs`, {
    cwd,
  });
  const strict = await typed(`${command} run -- node test.mjs`, { cwd });
  const missed = await typed(`${command} run -- node test.mjs`, { cwd, env: { WORDS: "other" } });

  expect([recorded, strict, missed].map(({ code, stdout }) => `${code} ${stdout.trim()}`)).toEqual([
    "0 recorded",
    "0 replayed",
    "3 miss",
  ]);
  expect(missed.stderr).toContain("npx tapedeck run --mode record --last");
  expect(requests).toHaveLength(1);
});
