import { join } from "node:path";
import type * as TreeSitter from "@vscode/tree-sitter-wasm";

export type GrammarName = "typescript" | "tsx" | "python";

/** The parser's classes, and its grammars by name. Each grammar is read from disk when it is first asked for. */
interface Grammars {
  newParser(): TreeSitter.Parser;
  language(name: GrammarName): Promise<TreeSitter.Language>;
}

type Runtime = Pick<typeof TreeSitter, "Parser" | "Language">;

let runtime: Promise<Runtime> | undefined;

/**
 * Loads the parser's runtime, once for a process: it keeps what it was first given.
 * `dir` holds `tree-sitter.wasm` and a `tree-sitter-<name>.wasm` for each grammar.
 */
export async function loadGrammars(dir: string): Promise<Grammars> {
  runtime ??= startRuntime(dir);
  const { Parser, Language } = await runtime;
  const languages = new Map<GrammarName, Promise<TreeSitter.Language>>();
  return {
    newParser: () => new Parser(),
    language(name) {
      const known = languages.get(name) ?? Language.load(join(dir, `tree-sitter-${name}.wasm`));
      languages.set(name, known);
      return known;
    },
  };
}

async function startRuntime(dir: string): Promise<Runtime> {
  // Loaded here and not at the top: it is a large module, and most windows never need it.
  const { default: treeSitter } = await import("@vscode/tree-sitter-wasm");
  await treeSitter.Parser.init({ locateFile: (file) => join(dir, file) });
  return treeSitter;
}
