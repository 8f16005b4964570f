import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const readJson = (path: string): Record<string, string> =>
  JSON.parse(readFileSync(join(root, path), "utf8")) as Record<string, string>;

/** Folders and files of `src` whose texts are not translated, with the reason. */
const ENGLISH: readonly (readonly [place: RegExp, reason: string])[] = [
  [/^agent\//, "results for models; its questions to people are translated"],
  [/^hooks\/javascript\//, "runs inside the tested process without a table"],
  [/^hooks\/stable-hooks\.ts$/, "comments in a file that it writes, and a bug in Tapedeck"],
  [/^(?:client|testing)\//, "exceptions of the library, which programs read"],
  [/^systems\//, "the texts of the original systems"],
  [/^core\/base\/(?:wire|json)\//, "bugs in Tapedeck, which users cannot repair"],
  [/^core\/match\/rules\/named-patterns\.ts$/, "patterns, and their descriptions for the documents"],
  [/^core\/secrets\/kinds\//, "names in files; abbreviateSecret translates them"],
  [/^core\/answer\/(?:budget\/most|source\/forward)\.ts$/, "names of fields and headers"],
  [/^server\/(?:guard\/proof|guard\/tunnels|http\/raw-refusal|proxy\/authority)\.ts$/, "bytes on the wire"],
];

/** Tables whose texts are keys, because the code that reads them localizes them. */
const TABLES = /^core\/protocol\/table\/\w+\.ts$/;

/** Texts that are not translated. Above the patterns is the reason. */
const NOT_TRANSLATED = readFileSync(join(import.meta.dirname, "not-translated.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("# "))
  .map((line) => new RegExp(line));

/** Functions whose literals are keys of the translation tables, with the positions of the arguments that are keys. */
const LOCALIZING: ReadonlyMap<string, readonly number[]> = new Map([
  ["localize", [0]],
  ["localizeCount", [1, 2]],
  ["createObjectReader", [0]],
  ["createModelObjectReader", [0]],
]);

interface SourceText {
  readonly file: string;
  /** The literal, with `{}` for each expression of a template. */
  readonly text: string;
  readonly isLocalized: boolean;
}

const texts = sourceFiles("src").flatMap(textsOf);
const keys = new Set(texts.filter(({ isLocalized }) => isLocalized).map(({ text }) => text));
const LANGUAGES = readdirSync(join(root, "l10n")).map(
  (name) => /^bundle\.l10n\.(.+)\.json$/.exec(name)?.[1] ?? name,
);

test.each(LANGUAGES)(
  "every text of the code is translated into %s, and no translation is left over",
  (language) => {
    const translated = readJson(`l10n/bundle.l10n.${language}.json`);

    expect([...keys].filter((key) => !Object.hasOwn(translated, key))).toEqual([]);
    expect(Object.keys(translated).filter((key) => !keys.has(key))).toEqual([]);
  },
);

test.each(LANGUAGES)("every text of the manifest is translated into %s", (language) => {
  const english = readJson("package.nls.json");
  const translated = readJson(`package.nls.${language}.json`);
  const { description, ...manifest } = readJson("package.json");
  const used = [...JSON.stringify(manifest).matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key);

  expect(new Set(Object.keys(translated))).toEqual(new Set(Object.keys(english)));
  expect(new Set([...used, "description"])).toEqual(new Set(Object.keys(english)));
  expect(english["description"]).toBe(description);
});

test("the manifest's contributions and capabilities contain no untranslated text", () => {
  const { contributes, capabilities } = readJson("package.json") as unknown as Record<string, unknown>;
  // Descriptions of tools and of their inputs are for models.
  const forModels = new Set(["modelDescription", "inputSchema"]);
  const shown = JSON.stringify([contributes, capabilities], (name, value: unknown) =>
    forModels.has(name) ? undefined : value,
  );
  const outside = [...shown.matchAll(/"([^"]+)"/g)].filter(
    ([, text = ""]) => /[A-Za-z]{2,}[,;:]? [a-z]{2,}/.test(text) && !/ (?:&&|=~|==|!=) /.test(text),
  );

  expect(outside).toEqual([]);
});

test.each(LANGUAGES)("translations into %s have the placeholders of the English text", (language) => {
  const translated = Object.entries(readJson(`l10n/bundle.l10n.${language}.json`));

  expect(translated.filter(([english, other]) => placeholders(english) !== placeholders(other))).toEqual([]);
});

test.each(LANGUAGES)("sentences in %s name buttons and commands as these are called there", (language) => {
  const [english, translated] = [readJson("package.nls.json"), readJson(`package.nls.${language}.json`)];
  const commands = Object.entries(english).map(([key, title]) => [title, translated[key] ?? ""] as const);
  const sentences = Object.entries(readJson(`l10n/bundle.l10n.${language}.json`));
  const names = new Map([...sentences, ...commands]);

  const misnamed = sentences.flatMap(([sentence, other]) =>
    [...sentence.matchAll(/"([A-Z][^"{}]+)"/gu)].flatMap(([, name = ""]) =>
      other.includes(names.get(name) ?? "") ? [] : [`${other} does not name ${names.get(name) ?? ""}`],
    ),
  );

  expect(misnamed).toEqual([]);
});

test("every user-visible text is in the translation tables", () => {
  const outside = texts
    .filter(({ file }) => !ENGLISH.some(([place]) => place.test(file)))
    .filter(({ text, isLocalized }) => !isLocalized && isProse(text))
    .filter(({ text }) => !NOT_TRANSLATED.some((pattern) => pattern.test(text)))
    .map(({ file, text }) => `${file}: ${text}`);

  expect(outside).toEqual([]);
});

/** Matches two consecutive words if the second is lowercase, and one capitalized word that ends with punctuation. */
function isProse(text: string): boolean {
  return /[A-Za-z]{2,}[,;:]? [a-z]{2,}/.test(text) || /^[A-Z][a-z]+[.…!?:]$/.test(text);
}

function isTableText(file: string, text: string): boolean {
  const isData = NOT_TRANSLATED.some((pattern) => pattern.test(text));
  return (
    TABLES.test(file.replace(/^src\//, "")) &&
    !isData &&
    (isProse(text.replaceAll(/\{[^}]*\}/g, "Ab")) || /^An? [a-z]+$/.test(text))
  );
}

function placeholders(text: string): string {
  return [...text.matchAll(/\{\d+\}/g)]
    .map(([placeholder]) => placeholder)
    .sort()
    .join(" ");
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /(?<!\.d)\.ts$/.test(name))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`);
}

interface SyntaxNode {
  readonly type: string;
  readonly [property: string]: unknown;
}

function textsOf(file: string): readonly SourceText[] {
  const found: SourceText[] = [];
  const visit = (node: unknown, isLocalized: boolean): void => {
    if (Array.isArray(node)) for (const one of node) visit(one, isLocalized);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const { type, ...parts } = node as SyntaxNode;
    if (/^(?:TS(?:Type|Literal|Interface|Union|Module)|Import|ExportAll)/.test(type)) return;
    const text = literalText(node as SyntaxNode);
    const isKey = isLocalized || (text !== undefined && isTableText(file, text));
    if (text !== undefined) found.push({ file: file.replace(/^src\//, ""), text, isLocalized: isKey });
    const callee = type === "CallExpression" ? (parts["callee"] as SyntaxNode) : undefined;
    const positions = callee?.type === "Identifier" ? LOCALIZING.get(String(callee["name"])) : undefined;
    if (positions !== undefined) {
      const given = parts["arguments"] as readonly unknown[];
      given.forEach((argument, index) => visit(argument, positions.includes(index)));
      return;
    }
    const keepsMark = type === "ConditionalExpression" || type === "ParenthesizedExpression";
    for (const [name, part] of Object.entries(parts))
      visit(part, keepsMark && name !== "test" && isLocalized);
  };
  visit(parseAst(readFileSync(join(root, file), "utf8"), { lang: "ts" }), false);
  return found;
}

function literalText(node: SyntaxNode): string | undefined {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type !== "TemplateLiteral") return undefined;
  const quasis = node["quasis"] as readonly { readonly value: { readonly cooked: string } }[];
  return quasis.map(({ value }) => value.cooked).join("{}");
}
