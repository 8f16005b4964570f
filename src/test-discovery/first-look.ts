export type GrammarName = "typescript" | "tsx" | "python";

const GRAMMARS: Readonly<Record<string, GrammarName>> = {
  typescript: "typescript",
  typescriptreact: "tsx",
  javascript: "tsx",
  javascriptreact: "tsx",
  python: "python",
};

/** Returns the grammar of a language by VS Code's id; undefined for a language that is not parsed. */
export const getGrammar = (languageId: string): GrammarName | undefined =>
  Object.hasOwn(GRAMMARS, languageId) ? GRAMMARS[languageId] : undefined;

const JAVASCRIPT = /(?<![\w$])(?:[xf]?(?:it|describe|context)|x?(?:test|specify)|suite)\s*(?:[.(<`?]|\/[*/])/;
const PYTHON = /\bdef\s+test|\bclass\s+\w*Test/;

/**
 * A cheap look before the first parse: false means that there are no tests to find, true that a parse is worth it.
 * Languages are VS Code's ids; one without a grammar has none.
 */
export function mayHaveTests(text: string, languageId: string): boolean {
  if (languageId === "python") return PYTHON.test(text);
  return /^(?:java|type)script(?:react)?$/.test(languageId) && JAVASCRIPT.test(text);
}
