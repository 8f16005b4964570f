import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { wrongUsage } from "../core/base/errors.ts";
import { setTranslations, type Translations } from "../core/base/localize.ts";

/** Languages of the command line: what `--lang` takes, and the file of its translations. English has none. */
const LANGUAGES: Readonly<Record<string, string | undefined>> = { en: undefined, "zh-cn": "zh-cn" };

/** Output formats that programs read. They are never translated. */
const isForPrograms = (argument: string): boolean => /^(?:--json|--format=json|json)$/.test(argument);

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
  const speaksEnglish = argv.slice(0, end).some(isForPrograms);
  setTranslations(speaksEnglish ? undefined : readTranslations(language));
  return at < 0 ? argv : [...argv.slice(0, at), ...argv.slice(at + (isInline ? 1 : 2))];
}

function knownLanguage(name: string): string {
  const language = name.toLowerCase().replace("_", "-");
  if (Object.hasOwn(LANGUAGES, language)) return language;
  throw wrongUsage(
    `There are no texts in the language "${name}".`,
    `Use --lang with one of ${Object.keys(LANGUAGES).join(", ")}.`,
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
