import type * as TreeSitter from "@vscode/tree-sitter-wasm";
import { join } from "node:path";
import type { FoundTest, FoundTests } from "./found-test.ts";
import { type GrammarName, getGrammar } from "./first-look.ts";
import { findJavascriptTests } from "./javascript-tests.ts";
import type { Node } from "@vscode/tree-sitter-wasm";

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
      const name = getGrammar(languageId);
      if (name === undefined) return { tests: [], isBroken: false };
      parser.setLanguage(await languageOf(name));
      const tree = parser.parse(text);
      if (tree === null) return { tests: [], isBroken: false };
      const { rootNode } = tree;
      const tests = name === "python" ? findPythonTests(rootNode, text) : findJavascriptTests(rootNode, text);
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

const CANDIDATES = /\b(?:def|class)[\s\\]+([\p{L}\p{Nl}_][\p{L}\p{N}\p{M}_]*)/gu;

/**
 * Finds tests in Python by the names that pytest and unittest collect: functions `test*` in the module, in classes
 * `Test*` and in test cases. A function inside a function is never collected.
 */
export function findPythonTests(root: Node, text: string): readonly FoundTest[] {
  const cases = new Set<string>();
  const found: FoundTest[] = [];
  for (const match of text.matchAll(CANDIDATES)) {
    const end = match.index + match[0].length;
    const definition = definitionAt(root, end - (match[1]?.length ?? 0), end);
    const scope = definition && scopeOf(definition);
    if (!scope) continue;
    const isClass = definition.type === "class_definition";
    if (isClass && isCase(definition, cases)) cases.add(definitionName(definition));
    const classes = isClass ? [...scope, definition] : scope;
    const collected = classes.every((one) => definitionName(one).startsWith("Test") || isCase(one, cases));
    if (collected && (isClass || definitionName(definition).startsWith("test")))
      found.push(describeTest(definition, scope));
  }
  return found;
}

function definitionAt(root: Node, from: number, to: number): Node | undefined {
  const name = root.descendantForIndex(from, to);
  const parent = name?.type === "identifier" ? name.parent : undefined;
  const defines = parent?.type === "function_definition" || parent?.type === "class_definition";
  return defines && parent?.childForFieldName("name")?.id === name?.id ? (parent ?? undefined) : undefined;
}

const definitionName = (definition: Node): string => definition.childForFieldName("name")?.text ?? "";

/** The classes around a definition, outermost first; undefined where a function is around it. */
function scopeOf(definition: Node): readonly Node[] | undefined {
  const classes: Node[] = [];
  for (let node = definition.parent; node; node = node.parent) {
    if (node.type === "function_definition") return undefined;
    if (node.type === "class_definition") classes.unshift(node);
  }
  return classes;
}

/** A base class whose name ends in TestCase, or that is itself a test case of this file. */
function isCase(definition: Node, cases: ReadonlySet<string>): boolean {
  const bases = definition.childForFieldName("superclasses")?.namedChildren ?? [];
  return bases.some((base) => {
    const last =
      base && ["identifier", "attribute"].includes(base.type) ? base.text.replace(/^.*\./s, "").trim() : "";
    return last.endsWith("TestCase") || cases.has(last);
  });
}

function describeTest(definition: Node, scope: readonly Node[]): FoundTest {
  const path = [...scope, definition].map(definitionName);
  return {
    kind: definition.type === "class_definition" ? "suite" : "test",
    title: definitionName(definition),
    path,
    patterns: path.map(() => null),
    line: definition.startPosition.row + 1,
    firstLine: withDecorators(definition).startPosition.row + 1,
    endLine: definition.endPosition.row + 1,
    id: path.join("::"),
    isSkipped: decorators(definition).some((mark) => /(?:^|\.)skip$/.test(mark)),
  };
}

/** The node that holds a definition together with its decorators. */
function withDecorators(definition: Node): Node {
  return definition.parent?.type === "decorated_definition" ? definition.parent : definition;
}

/** `pytest.mark.skipif` for `@pytest.mark.skipif(…)`. */
function decorators(definition: Node): readonly string[] {
  return withDecorators(definition).namedChildren.flatMap((node) => {
    const expression = node?.type === "decorator" ? node.namedChild(0) : undefined;
    const called = expression?.type === "call" ? expression.childForFieldName("function") : expression;
    return called ? [called.text] : [];
  });
}
