import { join } from "node:path";
import type * as TreeSitter from "@vscode/tree-sitter-wasm";
import type { FoundTest } from "./found-test-model.ts";
import { grammarOf, type GrammarName } from "./first-look-model.ts";
import { javascriptTests } from "./javascript-tests-model.ts";
import { pythonTests } from "./python-tests-model.ts";

/** The tests of a text in source order, a suite before the tests in it. */
export interface FoundTests {
  readonly tests: readonly FoundTest[];
  /** The text has syntax errors, so tests in it may be missing. */
  readonly isBroken: boolean;
}

/** Finds tests by parsing. Languages are VS Code's ids; one without a grammar has no tests. */
export interface TestFinder {
  findTests(text: string, languageId: string): Promise<FoundTests>;
  dispose(): void;
}

type Runtime = Pick<typeof TreeSitter, "Parser" | "Language">;

/** The parser's runtime keeps the folder that it was first given, so a process starts it once. */
let runtime: Promise<Runtime> | undefined;

/** Starts the parser. `grammarsDir` has the runtime and the grammars (`dist/grammars`); each is loaded when needed. */
export async function createTestFinder({
  grammarsDir,
}: {
  readonly grammarsDir: string;
}): Promise<TestFinder> {
  const { Parser, Language } = await (runtime ??= startRuntime(grammarsDir));
  const parser = new Parser();
  const languages = new Map<GrammarName, Promise<TreeSitter.Language>>();
  const languageOf = (name: GrammarName): Promise<TreeSitter.Language> => {
    const known = languages.get(name) ?? Language.load(join(grammarsDir, `tree-sitter-${name}.wasm`));
    languages.set(name, known);
    return known;
  };
  return {
    async findTests(text, languageId) {
      const name = grammarOf(languageId);
      if (name === undefined) return { tests: [], isBroken: false };
      parser.setLanguage(await languageOf(name));
      const tree = parser.parse(text);
      if (tree === null) return { tests: [], isBroken: false };
      const { rootNode } = tree;
      const tests = name === "python" ? pythonTests(rootNode, text) : javascriptTests(rootNode, text);
      const isBroken = rootNode.hasError;
      tree.delete();
      return { tests, isBroken };
    },
    dispose: () => parser.delete(),
  };
}

async function startRuntime(dir: string): Promise<Runtime> {
  // Loaded here and not at the top: it is a large module, and most windows never need it.
  const { default: treeSitter } = await import("@vscode/tree-sitter-wasm");
  await treeSitter.Parser.init({ locateFile: (file) => join(dir, file) });
  return treeSitter;
}
