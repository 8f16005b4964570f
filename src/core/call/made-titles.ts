/*
 * Determines whether a file can declare a test. The source is not parsed: a title has to be in it as a text. In a file that
 * computes titles when tests run (templates, tables, loops, concatenations), any title is possible, which only keeps recordings.
 */

import { escapePattern } from "./test-names.ts";

/** Whether a file can declare a test with these titles. */
export type CanDeclare = (name: readonly string[]) => boolean;

export function readTitles(file: string, source: string): CanDeclare {
  if (file.endsWith(".py"))
    return (name) => isWordOf(source, name.at(-1) ?? "") || canHaveFunction(source, name.at(-2));
  if (!SCRIPT.test(file))
    return (name) => source.includes(fixedPart(name.at(-1) ?? "")) || IS_MADE.test(source);
  if (new RegExp(listCalls(source) + COMPUTED, "u").test(source)) return () => true;
  const texts = unescapeTexts(source);
  const isQuoted = (text: string): boolean => {
    const isCut = CUT_LENGTHS.has(Array.from(text).length);
    return ['"', "'", "`"].some((quote) => texts.includes(quote + text + (isCut ? "" : quote)));
  };
  return (name) =>
    isQuoted(name.at(-1) ?? "") || (name.length === 1 && isJoined(name[0]?.split(" ") ?? [], isQuoted));
}

/** Characters to which hooks cut the titles of a long name. */
const CUT_LENGTHS = new Set([120, 60, 30, 15]);

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

const unescapeTexts = (source: string): string =>
  source.replace(
    /\\(?:u\{0*([0-9a-f]{1,5})\}|u([0-9a-f]{4})|(.))/gisu,
    (_, wide?: string, short?: string, one = "") => {
      const code = wide ?? short;
      return code === undefined ? (ESCAPES[one] ?? one) : String.fromCodePoint(Number.parseInt(code, 16));
    },
  );

/** Whether words are texts of the file, joined by blanks, as some runners join the titles of suites and tests. */
function isJoined(words: readonly string[], isQuoted: (text: string) => boolean): boolean {
  const ends = new Set([words.length]);
  for (const end of ends)
    for (let from = 0; from < end; from += 1) if (isQuoted(words.slice(from, end).join(" "))) ends.add(from);
  return ends.has(0);
}

const SCRIPT = /\.[cm]?[jt]sx?$/u;
/** In a language whose tests are not known further. */
const IS_MADE = /[$#]\{|%[sdifjop]|\.each\b/u;
/** The function in the name of a case: `TestAsk` of Go's `TestAsk/in_one_word`. */
const fixedPart = (title: string): string => /^(\w+)\S*$/u.exec(title)?.[1] ?? title;
/** The rest of a call that computes a title: from a table, a value, a sum, or a template. */
const COMPUTED =
  "(?:\\.(?:each|for)\\b|\\(\\s*(?:(?!async\\b|function\\b)[\\w$]|([\"'])(?:(?!\\1)[^\\\\\\n]|\\\\.)*\\1\\s*\\+|`[^`]*\\$\\{))";

function isWordOf(source: string, word: string): boolean {
  return new RegExp(String.raw`(?<!\w)${escapePattern(word)}(?!\w)`, "u").test(source);
}

/** Functions that no `def` in the file makes, or that a class has from another one, which may stand in another file. */
function canHaveFunction(source: string, owner: string | undefined): boolean {
  if (/\bparameterized\b|\bsetattr\(|\bload_tests\b|\bglobals\(\)|\bexec\(/u.test(source)) return true;
  if (owner === undefined) return false;
  const header = new RegExp(String.raw`\bclass\s+${escapePattern(owner)}\s*\(([^)]*)\)`, "u").exec(source);
  return (header?.[1] ?? "").split(",").some((base) => !PLAIN_BASE.test(base));
}

const PLAIN_BASE = /^\s*(?:[\w.]*\b(?:IsolatedAsyncio)?TestCase|object)?\s*$/u;

const RUNNERS = "test|it|specify|describe|suite|context";
const HOW =
  "(?:\\.(?:only|skip|todo|concurrent|sequential|fails|failing|serial|parallel|fixme|slow|describe|step|shuffle))*";

/** Returns a pattern for runner functions, including those that the file derived from them. */
function listCalls(source: string): string {
  const named = new RegExp(
    `\\b([\\w$]+)\\s*=\\s*(?:[\\w$]+\\.)*(?:${RUNNERS}|base)\\b|\\b(?:${RUNNERS})\\s+as\\s+([\\w$]+)`,
    "gu",
  );
  const own = [...source.matchAll(named)].map(([, made, alias]) => escapePattern(made ?? alias ?? ""));
  return `(?:(?<![.\\w$])(?:${[RUNNERS, ...own].join("|")})|\\bt\\.test)${HOW}`;
}

/** Whether a module that tests import may declare some itself. */
export const declaresTests = (source: string): boolean =>
  new RegExp(`${listCalls(source)}(?:\\.(?:each|for)\\b|\\()`, "u").test(source);

/** Returns the project's modules that a file imports, each with its possible paths, relative to the file's folder. */
export function listImportedFiles(file: string, source: string): readonly (readonly string[])[] {
  if (!SCRIPT.test(file)) return [];
  const named = source.matchAll(/\b(?:from|import|require)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/gu);
  return [...new Set([...named].map(([, path]) => path ?? ""))].map((path) => [
    path,
    ...["ts", "tsx", "js", "mjs", "cjs"].map((end) => `${path}.${end}`),
    path.replace(/\.([cm]?)js(x?)$/u, ".$1ts$2"),
    `${path}/index.ts`,
    `${path}/index.js`,
  ]);
}
