/**
 * Translations into one language, by the English text that the code contains. Both may have placeholders: {0}, {1}, …
 * The file format is that of `vscode.l10n`, so that the extension and the command line read the same tables.
 */
export type Translations = Readonly<Record<string, string>>;

let translations: Translations | undefined;

/** Sets the language of all later texts of this program; undefined is English. Call it before other modules are loaded. */
export function setTranslations(table: Translations | undefined): void {
  translations = table;
}

/**
 * Returns a text for people in the language of this program. `text` must be a literal, so that the tables can be checked
 * against the code (test/localization.test.ts).
 */
export function localize(text: string, ...values: readonly (string | number)[]): string {
  const template = translations?.[text] ?? text;
  if (values.length === 0) return template;
  return template.replace(/\{(\d+)\}/g, (placeholder, index) => String(values[Number(index)] ?? placeholder));
}

let isInEditor = false;

/** Sets whether later texts name settings and modes of VS Code in place of options and commands of the command line. */
export function setOptionNames(kind: "options" | "settings"): void {
  isInEditor = kind === "settings";
}

/** Returns the name of an option for a sentence: in VS Code, that of the setting with the same effect. */
export const formatOption = (option: string, setting: string): string =>
  isInEditor ? localize("the setting {0}", setting) : option;

/** Returns the command for a sentence: in VS Code, what to do there, because the command line may not be installed. */
export const formatCommand = (command: string, inEditor: string): string => (isInEditor ? inEditor : command);

let programName = "npx tapedeck";

/** Sets the words that start the command line where this program is installed. */
export function setProgramName(name: string): void {
  programName = name;
}

/** Returns the words that start the command line. Default: those of a project that installed the npm package. */
export const getProgramName = (): string => programName;

/** Joins sentences: with a space in English, and with nothing after the full-width punctuation of Chinese. */
export function joinSentences(...sentences: readonly string[]): string {
  return sentences
    .filter((sentence) => sentence !== "")
    .reduce(
      (text, next) => (text === "" || /[。！？：；]$/.test(text) ? text + next : `${text} ${next}`),
      "",
    );
}

/** Joins the items of a list with commas. */
export const joinList = (items: readonly string[]): string => items.join(localize(", "));

/** Returns the first `most` names for a sentence, and the number of the others. */
export function formatNames(names: readonly string[], most: number): string {
  const shown = joinList(names.slice(0, most));
  return names.length > most ? localize("{0} and {1} more", shown, names.length - most) : shown;
}
