import type { Language, Parser, Point, Tree } from "@vscode/tree-sitter-wasm";
import type { FoundTest } from "./found-test-model.ts";
import { grammarOf } from "./first-look-model.ts";
import { loadGrammars, type GrammarName } from "./grammars-model.ts";
import { javascriptTests } from "./javascript-tests-model.ts";
import { pythonTests } from "./python-tests-model.ts";

/** Finds tests by parsing. Languages are VS Code's ids; one it does not know has no tests. */
export interface TestFinder {
  /** In source order, a suite before what it holds. */
  findTests(text: string, languageId: string): Promise<readonly FoundTest[]>;
  /** Keeps a parsed text current while it is edited; undefined for a language without a grammar. */
  open(text: string, languageId: string): Promise<TestDocument | undefined>;
  dispose(): void;
}

/** A text that is parsed again only where it changed. It holds memory outside of JavaScript until disposed. */
export interface TestDocument {
  readonly text: string;
  /** The text as it was last looked at has faults, so that tests in it may not be found. */
  readonly isBroken: boolean;
  /** Applies changes in the order given, each to the text that the ones before it left, as VS Code sends them. */
  edit(changes: readonly TextChange[]): void;
  /** As {@link TestFinder.findTests}. The same array until the next edit. */
  tests(): readonly FoundTest[];
  dispose(): void;
}

/** A part of VS Code's TextDocumentContentChangeEvent. Offsets count UTF-16 units. */
export interface TextChange {
  readonly rangeOffset: number;
  readonly rangeLength: number;
  readonly text: string;
}

/** Starts the parser. `grammarsDir` holds the runtime and the grammars (`dist/grammars`); each is loaded when needed. */
export async function createTestFinder(options: { readonly grammarsDir: string }): Promise<TestFinder> {
  const grammars = await loadGrammars(options.grammarsDir);
  const parser = grammars.newParser();
  const open = async (text: string, languageId: string): Promise<TestDocument | undefined> => {
    const name = grammarOf(languageId);
    if (name === undefined) return undefined;
    return createTestDocument(parser, await grammars.language(name), { text, name });
  };
  return {
    open,
    async findTests(text, languageId) {
      const document = await open(text, languageId);
      const tests = document?.tests() ?? [];
      document?.dispose();
      return tests;
    },
    dispose: () => parser.delete(),
  };
}

function createTestDocument(
  parser: Parser,
  language: Language,
  source: { readonly text: string; readonly name: GrammarName },
): TestDocument {
  let text = source.text;
  let tree: Tree | undefined;
  let found: readonly FoundTest[] | undefined;

  /** What is made of a text with faults depends on the edits that led to it, unless it is read afresh. */
  function parseAgain(): Tree | null {
    const parsed = parser.parse(text, tree ?? null);
    if (tree === undefined || parsed?.rootNode.hasError !== true) return parsed;
    parsed.delete();
    return parser.parse(text, null);
  }

  function find(): readonly FoundTest[] {
    parser.setLanguage(language);
    const parsed = parseAgain();
    tree?.delete();
    tree = parsed ?? undefined;
    if (!tree) return [];
    return source.name === "python" ? pythonTests(tree.rootNode, text) : javascriptTests(tree.rootNode, text);
  }

  return {
    get text() {
      return text;
    },
    get isBroken() {
      return tree?.rootNode.hasError === true;
    },
    edit(changes) {
      for (const change of changes) {
        const after = applyChange(text, change);
        tree?.edit(treeEdit(text, after, change));
        text = after;
        found = undefined;
      }
    },
    tests: () => (found ??= find()),
    dispose() {
      tree?.delete();
      tree = undefined;
      found ??= [];
    },
  };
}

function applyChange(text: string, { rangeOffset, rangeLength, text: inserted }: TextChange): string {
  return text.slice(0, rangeOffset) + inserted + text.slice(rangeOffset + rangeLength);
}

function treeEdit(before: string, after: string, change: TextChange): Parameters<Tree["edit"]>[0] {
  const startIndex = Math.min(change.rangeOffset, before.length);
  const oldEndIndex = Math.min(startIndex + change.rangeLength, before.length);
  const newEndIndex = startIndex + change.text.length;
  const startPosition = pointAt(before, startIndex);
  return {
    startIndex,
    oldEndIndex,
    newEndIndex,
    startPosition,
    oldEndPosition: pointAt(before, oldEndIndex),
    newEndPosition: pointAt(after, newEndIndex),
  };
}

function pointAt(text: string, index: number): Point {
  let row = 0;
  let lineStart = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) {
    row += 1;
    lineStart = at + 1;
  }
  return { row, column: index - lineStart };
}
