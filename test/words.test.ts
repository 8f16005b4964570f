import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { mapGroups } from "../src/core/base/group-by.ts";

const root = resolve(import.meta.dirname, "..");

/** Retired words in identifiers and file names, with their replacements, which CONTRIBUTING.md lists. */
const RETIRED: readonly (readonly [word: RegExp, now: string])[] = [
  [/\bfallen|Fallen/, "collision"],
  [/\btwins\b|\bfindTwins\b/, "collision"],
  [/[Nn]ormalizedMark|normalized-mark|hasNormalized/, "named by rules"],
  [/\b(?:united|parted)\(/, "a verb"],
  [/\b(?:const|let) (?:told|said|heard|seen|wanted)\b/, "the thing that the variable holds"],
];

it("no source file uses a retired word", () => {
  const found = filesIn("src", /\.ts$/).flatMap((file) => {
    const text = `${file}\n${withoutComments(read(file))}`;
    return RETIRED.filter(([word]) => word.test(text)).map(
      ([word, now]) => `${file}: ${word.exec(text)?.[0]}, now ${now}`,
    );
  });

  expect(found).toEqual([]);
});

const IRREGULAR =
  "begun built chosen drawn found given held kept known left made said sent shown spoken told written".split(
    " ",
  );
const PARTICIPLE = new RegExp(`^(?:[a-z]+ed|un[a-z]+ed|${IRREGULAR.join("|")})$`);
/** Verbs that have such an ending, functions named after failures, and names that users of the library import. */
const ALLOWED =
  "cancelled disconnected embed feed merged misplaced refused retained seed shed tallied traced unexpected";

it("no function has a participle as its name", () => {
  const found = filesIn("src", /\.ts$/).flatMap((file) =>
    [...withoutComments(read(file)).matchAll(FUNCTION)]
      .map(({ groups }) => groups?.["name"] ?? "")
      .filter((name) => PARTICIPLE.test(name) && !ALLOWED.split(" ").includes(name))
      .map((name) => `${file}: ${name}`),
  );

  expect(found).toEqual([]);
});

const FUNCTION =
  /(?:\bfunction\*? |\b(?:const|let) (?=\w+ = (?:async )?(?:<[^>]*>)?\([^()]*\)(?:: [^=;]+)? =>))(?<name>\w+)/g;

/** Verbs that begin the names of exported functions. Leave out those that are mostly read as nouns: call, name, test, text. */
const VERBS = `
  abbreviate accept activate adapt add admit align allow answer apply ask assign attempt begin build bypass
  capitalize catch change check choose claim clarify classify collect combine commit compare compile complete
  compose compute connect continue convert copy correct count create cut deactivate decode define describe
  detect determine dial diff discard dismiss drop edit encode end escape estimate excerpt expect explain
  extend fetch fill filter find finish flash flush follow format forward get give group guard guess handle
  hash ignore import inject inspect interpret join judge keep kill label lay leave limit list listen load
  localize locate log look make map mark match merge mix normalize note offer open pack pad paint
  pair parse pass pick place plan prefer prepare print process project propose pull push put quote read recall
  receive recognize record recover redact refuse register remember remove rename render renew replace
  replay report require resolve restore rewrite route run scan scope search select send serve set
  settle shorten show sign sort spell split start stringify suggest sum summarize swap sync take tell
  throttle tick toggle try turn undo unzip update upload wait watch wrap write
`
  .trim()
  .split(/\s+/);
const PREDICATE =
  /^(?:is|are|was|has|may|can|with|without|to|from|by|on|(?:count|declare|end|follow|leave|look|matche|need|passe|repeat|want)s)$/;
/** Names that users import, and the start of the program. */
const NOT_VERBS = "main plainJson remoteOfEnvironment tapedeckTest".split(" ");
const EXPORTED =
  /^export (?:async )?(?:function\*? |const (?=\w+ = (?:async )?(?:<[^>]*>)?\())(?<name>\w+)/gm;

it("each exported function has a name that begins with a verb, or that is a condition or a conversion", () => {
  const found = filesIn("src", /^(?!(?:client|systems)[\\/]|.*\.d\.ts$).*\.ts$/).flatMap((file) =>
    [...withoutComments(read(file)).matchAll(EXPORTED)]
      .map(({ groups }) => groups?.["name"] ?? "")
      .filter((name) => {
        const [first = ""] = name.match(/^[a-z\d]+/) ?? [];
        return !VERBS.includes(first) && !PREDICATE.test(first) && !NOT_VERBS.includes(name);
      })
      .map((name) => `${file}: ${name}`),
  );

  expect(found).toEqual([]);
});

/** Maximum number of files: readers and writers of several operations share names for common parts. */
const MOST_NAMESAKES = 6;

it("no function name that lacks its subject occurs in many files", () => {
  const places = filesIn("src", /\.ts$/).flatMap((file) => {
    const names = [...withoutComments(read(file)).matchAll(FUNCTION)].map(
      ({ groups }) => groups?.["name"] ?? "",
    );
    return [...new Set(names.filter((name) => /^[a-z]+Of$/.test(name)))].map((name) => ({ name, file }));
  });

  const tooMany = [...mapGroups(places, ({ name }) => name)].filter(([, of]) => of.length > MOST_NAMESAKES);
  expect(tooMany.map(([name, of]) => `${name}: ${of.map(({ file }) => file).join(", ")}`)).toEqual([]);
});

/** All pages for readers except the changelog. */
const PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "src/README.md", ...filesIn("docs", /\.md$/)];
const MOST_WORDS = 25;

it("no sentence of a page has more than 25 words, except in tables and code", () => {
  const long = PAGES.flatMap((page) =>
    sentencesOf(read(page))
      .filter((sentence) => wordsOf(sentence).length > MOST_WORDS)
      .map((sentence) => `${page}: ${sentence}`),
  );

  expect(long).toEqual([]);
});

it("counts a sentence across line breaks, and inline code as one word", () => {
  const word = "word ".repeat(13).trim();
  const [sentence, ...more] = sentencesOf(
    `- ${word}\n  ${word}\n\n| ${word} | ${word} |\n\n# ${word} ${word}\n`,
  );

  expect([wordsOf(sentence ?? "").length, more]).toEqual([26, []]);
  expect(wordsOf("`a b c` and [a link](there.md)")).toEqual(["`", "and", "[a", "link]"]);
});

/** Returns the sentences of paragraphs and lists. A capitalized word starts a new one only after final punctuation. */
function sentencesOf(page: string): readonly string[] {
  const paragraphs = page
    .replaceAll(/^( *)```[^]*?^\1```$/gm, "")
    .split(/\n(?=\s*(?:[-*]|\d+\.)\s)|\n\s*\n|^(?=[#|])/m);
  return paragraphs
    .filter((text) => !/^\s*(?:\||#)/.test(text))
    .flatMap((text) => text.replaceAll(/\s+/g, " ").split(/(?<=[.!?](?:\*\*)?)\s+(?=[A-Z`*"“[(])/))
    .map((text) => text.replace(/^(?:[-*]|\d+\.)\s/, "").trim());
}

function wordsOf(sentence: string): readonly string[] {
  return sentence
    .replaceAll(/`[^`]*`/g, "`")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .split(" ")
    .filter((word) => /[\p{L}\p{N}`]/u.test(word));
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, "");
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

function filesIn(folder: string, name: RegExp): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => name.test(file))
    .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
    .sort();
}
