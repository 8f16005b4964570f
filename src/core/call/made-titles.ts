/*
 * Determines whether a file can declare a test. Titles that are computed when tests run (templates, tables, loops,
 * concatenations) are not in the source, but their parts are, and limit the possible titles. Without such limits, any
 * title is possible. The source is not parsed: a wrong match only keeps the recordings of a test.
 */

import { escapePattern } from "./test-names.ts";

/** Whether a file can declare a test with these titles. */
export type CanDeclare = (name: readonly string[]) => boolean;

export function readTitles(file: string, source: string): CanDeclare {
  if (file.endsWith(".py"))
    return (name) => isWordOf(source, name.at(-1) ?? "") || canHaveFunction(source, name.at(-2));
  if (!SCRIPT.test(file)) return (name) => source.includes(name.at(-1) ?? "") || IS_MADE.test(source);
  const tests = callsIn(source, ["test", "it", "specify"]);
  if (hasAnyTitle(source, tests)) return () => true;
  const hasAnySuite = hasAnyTitle(source, callsIn(source, SUITES));
  const texts = textsIn(source, tests);
  const whole = new Set(texts.flatMap((parts) => (parts.length === 1 ? parts : [])));
  const made = texts.filter((parts) => parts.length > 1);
  const isThere = (title: string): boolean =>
    whole.has(title) || made.some((parts) => isMadeOf(title, parts));
  return (name) => {
    const title = name.at(-1) ?? "";
    return name.length > 1 ? isThere(title) : hasAnySuite || isJoinedOf(title, isThere);
  };
}

const SCRIPT = /\.[cm]?[jt]sx?$/u;
/** In a language whose tests are not known further. */
const IS_MADE = /\$\{|%[sdifjop]|\.each\b/u;

/** Some runners tell no path of titles but all of them joined by blanks. */
function isJoinedOf(titles: string, isThere: (title: string) => boolean): boolean {
  if (isThere(titles)) return true;
  return [...titles.matchAll(/ /gu)].some(
    ({ index }) => isThere(titles.slice(index + 1)) && isJoinedOf(titles.slice(0, index), isThere),
  );
}

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

const SUITES = ["describe", "suite", "context"];

/** Returns a pattern for calls of these runner functions, including those that the file derived from them. */
function callsIn(source: string, names: readonly string[]): string {
  const of = names.join("|");
  const named = new RegExp(
    String.raw`\b([\w$]+)\s*=\s*(?:[\w$]+\.)*(?:${of}|base)\b|\b(?:${of})\s+as\s+([\w$]+)`,
    "gu",
  );
  const own = [...source.matchAll(named)].map(([, made, alias]) => escapePattern(made ?? alias ?? ""));
  return String.raw`(?:(?<![.\w$])(?:${[of, ...own].join("|")})|\bt\.test)${HOW}`;
}

const HOW = String.raw`(?:\.(?:only|skip|todo|concurrent|sequential|fails|failing|serial|parallel|fixme|slow|describe|step|shuffle))*`;
const A_VALUE = String.raw`\(\s*(?!async\b|function\b)[\w$]`;
const NOTHING_ELSE = "\\(\\s*`\\s*\\$\\{[^`]*\\}\\s*`";

/** Whether a title is only a value: `test(name, …)`, `test.each(cases)(name, …)`, or a template with one value. */
function hasAnyTitle(source: string, test: string): boolean {
  const isOfTable = String.raw`\.(?:each|for)\b[^]{0,9999}?[)\x60]\s*${A_VALUE}[\w$.]*\s*,`;
  return new RegExp(`${test}(?:${A_VALUE}|${NOTHING_ELSE})|\\)${NOTHING_ELSE}|${isOfTable}`, "u").test(
    source,
  );
}

/** Returns the texts of possible titles: lists of fixed parts, with any value between two of them. */
function textsIn(source: string, test: string): readonly (readonly string[])[] {
  const sums = matchesOf(
    source,
    new RegExp(String.raw`${test}\(\s*(["'])((?:(?!\1)[^\\\n]|\\.)*)\1\s*\+`, "gu"),
  );
  const whole = matchesOf(source, /(["'])((?:(?!\1)[^\\\n]|\\.)*)\1/gu);
  const templates = matchesOf(source, /(`)((?:[^`\\]|\\[^])*)`/gu);
  const isTable = /\.(?:each|for)\b/u.test(source);
  return [
    ...sums.map((text) => [...fixedParts(text, PRINTED), ""]),
    ...[...whole, ...templates].map((text) => fixedParts(text, isTable ? IN_TABLES : PRINTED)),
    ...templates.map((text) => fixedParts(text, /\$\{(?:[^{}]|\{[^{}]*\})*\}?/gu)),
  ];
}

/** Placeholders for values in the titles of tables. */
const PRINTED = /%[sdifjoOpc#$]/gu;
const IN_TABLES = /%[sdifjoOpc#$]|\$[\w#][\w.]*/gu;

/** From each place on where one can begin: a quote may be the end of another text. */
function matchesOf(source: string, pattern: RegExp): readonly string[] {
  const found: string[] = [];
  for (let match = pattern.exec(source); match !== null; match = pattern.exec(source)) {
    found.push(match[2] ?? "");
    pattern.lastIndex = match.index + 1;
  }
  return found;
}

function fixedParts(text: string, value: RegExp): readonly string[] {
  return text.split(value).map((part) => part.replace(/\\(.)/gsu, "$1").replaceAll("%%", "%"));
}

/** Whether the parts stand in the title one after the other, the first at its beginning and the last at its end. */
function isMadeOf(title: string, parts: readonly string[]): boolean {
  const [first = "", ...others] = parts;
  const last = others.pop();
  if (last === undefined || !title.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = title.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return title.length - last.length >= at && title.endsWith(last);
}

/** Whether a module that tests import may declare some itself. */
export function declaresTests(source: string): boolean {
  return new RegExp(
    String.raw`${callsIn(source, ["test", "it", "specify"])}(?:\.(?:each|for)\b[^]{0,9999}?\))?\(`,
    "u",
  ).test(source);
}

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
