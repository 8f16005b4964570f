import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import type { Command } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/main.ts";

/** Files whose text reaches users: documents, messages, titles, and the manifest. */
const files = [
  "README.md",
  "README.zh-CN.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "CONTRIBUTING.md",
  "action.yml",
  "package.json",
  ...filesIn("docs", /\.md$/),
  ...filesIn("media", /\.(?:md|json)$/),
  ...filesIn("demo/workspace", /\.md$/),
  ...filesIn("src", /\.(?:ts|cjs|py)$/),
].filter((path) => !path.includes("node_modules") && !path.includes("decisions/"));

const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));

const texts = files.map((path) => ({ path, text: readFileSync(join(rootDir, path), "utf8") }));

function filesIn(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(join(rootDir, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => pattern.test(path))
    .map((path) => join(folder, path));
}

/** Their texts begin with the name of the program and are hashed. */
const SECRETS: ReadonlySet<string> = new Set([
  "src/hooks/javascript/server.cjs",
  "src/server/guard/proof.ts",
]);

interface NamedCommand {
  readonly path: string;
  readonly words: readonly string[];
}

/** Commands that are written as code or after npx, up to the end of the code, of the line, or of a comment's start. */
const named = texts
  .filter(({ path }) => !SECRETS.has(path))
  .flatMap(({ path, text }) =>
    [...text.matchAll(/(?:`|npx |llm-tapedeck |^ *(?:- run: )?)tapedeck ((?:--)?[a-z][^`"'#\n]*)/gm)].map(
      ([, line = ""]): NamedCommand => ({ path, words: line.split(" -- ")[0]?.trim().split(/\s+/) ?? [] }),
    ),
  );

/** The command that words begin with, and the words behind its name. */
function find([name = "", action = "", ...rest]: readonly string[]):
  | readonly [Command, readonly string[]]
  | undefined {
  const command = commands.find((known) => known.name === name);
  if (command === undefined) return undefined;
  if (!("actions" in command)) return [command, [action, ...rest]];
  const known = command.actions.find((one) => one.name === `${name} ${action.replace(/\W+$/, "")}`);
  return known && [known, rest];
}

/** Returns the problem with a named command, or undefined. */
function fault({ words }: NamedCommand): string | undefined {
  const [first = ""] = words;
  if (/^--(?:help|version)/.test(first)) return undefined;
  const found = find([first.replace(/\W+$/, ""), ...words.slice(1)]);
  if (found === undefined) return "no such command";
  const [{ options, unlisted = [] }, rest] = found;
  const known = new Set([...options, ...unlisted].map(([option]) => option.split(" ")[0]));
  const asked = rest.flatMap((word) => /^\[?(--[a-z-]+)/.exec(word)?.[1] ?? []);
  const unknown = asked.filter((option) => option !== "--help" && !known.has(option));
  return unknown.length === 0 ? undefined : `no option ${unknown.join(", ")}`;
}

test("every command of Tapedeck that a document or a message names exists, with its options", () => {
  const faults = named.flatMap((one) => {
    const problem = fault(one);
    return problem === undefined ? [] : [`${one.path}: tapedeck ${one.words.join(" ")}: ${problem}`];
  });

  expect(faults).toEqual([]);
  expect(named.length).toBeGreaterThan(80);
});

test.each([
  ["no such command", ["record", "--last"]],
  ["no such command", ["team", "fetch"]],
  ["no option --missing", ["run", "--missing", "a.jsonl"]],
])("%s is noticed", (problem, words) => {
  expect(fault({ path: "a.md", words })).toBe(problem);
});

test("every npm script that a document or a message names exists", () => {
  const { scripts } = JSON.parse(readFileSync(join(rootDir, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const own = texts.filter(({ path }) => /^(?:README|CONTRIBUTING|docs|src)/.test(path));
  const asked = own.flatMap(({ path, text }) =>
    [...text.matchAll(/`npm run ([\w:-]+)/g)].map(([, name = ""]) => ({ path, name })),
  );

  expect(asked.filter(({ name }) => !Object.hasOwn(scripts, name))).toEqual([]);
});
