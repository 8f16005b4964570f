import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createWrongUsage } from "../core/base/errors.ts";
import { setTranslations, type Translations, localize } from "../core/base/localize.ts";

/** Languages of the command line: what `--lang` takes, and the file of its translations. English has none. */
const LANGUAGES: Readonly<Record<string, string | undefined>> = { en: undefined, "zh-cn": "zh-cn" };

/** Options that write what programs read. Such output is never translated, so the whole process speaks English. */
const FOR_PROGRAMS = /^--(?:json|sarif)$|^--(?:log|format)=json$|^--report=(?:json|junit)(?:=|$)/;

/** Whether a command writes JSON or the like. `--log json` counts like `--log=json`. */
const writesForPrograms = (argv: readonly string[]): boolean =>
  argv.some(
    (argument, index) =>
      FOR_PROGRAMS.test(argument) || FOR_PROGRAMS.test(`${argument}=${argv[index + 1] ?? ""}`),
  );

/**
 * Chooses the language of this process: `--lang`, then the locale of the environment, then English. Returns the arguments
 * without `--lang`. @throws TapedeckError `tapedeck_usage` for a language that has no translation
 */
export function chooseLanguage(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const at = argv.findIndex((argument, index) => index < end && /^--lang(?:=|$)/.test(argument));
  const isInline = at >= 0 && argv[at] !== "--lang";
  const given = at < 0 ? undefined : isInline ? argv[at]?.slice("--lang=".length) : argv[at + 1];
  const language = at < 0 ? languageOfLocale(env) : knownLanguage(given ?? "");
  const speaksEnglish = writesForPrograms(argv.slice(0, end));
  setTranslations(speaksEnglish ? undefined : readTranslations(language));
  return at < 0 ? argv : [...argv.slice(0, at), ...argv.slice(at + (isInline ? 1 : 2))];
}

function knownLanguage(name: string): string {
  const language = name.toLowerCase().replace("_", "-");
  if (Object.hasOwn(LANGUAGES, language)) return language;
  throw createWrongUsage(
    localize('The language "{0}" is not available.', name),
    localize("Use --lang with one of: {0}.", Object.keys(LANGUAGES).join(", ")),
  );
}

/** Simplified Chinese for the locales that read it, such as zh_CN.UTF-8 and zh-Hans. The first variable that is set counts. */
function languageOfLocale({
  LC_ALL,
  LC_MESSAGES,
  LANG,
}: Readonly<Record<string, string | undefined>>): string {
  const locale = LC_ALL || LC_MESSAGES || LANG || "";
  return /^zh(?:[-_](?:CN|SG|Hans)\b|[.@]|$)/i.test(locale) ? "zh-cn" : "en";
}

function readTranslations(language: string): Translations | undefined {
  const name = LANGUAGES[language];
  if (name === undefined) return undefined;
  // Two folders up, both from dist/cli/ and from src/cli/.
  const file = new URL(`../../l10n/bundle.l10n.${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(fileURLToPath(file), "utf8")) as Translations;
}
