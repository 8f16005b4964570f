import type { Node } from "@vscode/tree-sitter-wasm";
import type { FoundTest } from "./found-test-model.ts";
import { isText, readTitle, type TestTitle } from "./test-titles-model.ts";

const SUITES = ["describe", "suite", "context", "xdescribe", "fdescribe", "xcontext", "fcontext"];
const TESTS = ["it", "test", "specify", "xit", "fit", "xtest", "xspecify"];
const HEADS = new Set([...SUITES, ...TESTS]);
const SUITE_HEADS = new Set(SUITES);

/** Words that are called with something else before the call with the title: `it.each(rows)("…")`. */
const CURRIED = new Set(["each", "for", "skipIf", "runIf", "todoIf"]);
const PLAIN = ["only", "skip", "todo", "failing", "fails", "fail", "fixme", "slow"];
const ORDERS = ["concurrent", "sequential", "serial", "parallel", "shuffle"];
const MODIFIERS = new Set([...CURRIED, ...PLAIN, ...ORDERS]);

/** Who else may own a `test` or `it`: the context of node:test, and modules imported as a whole. */
const RECEIVERS = new Set(["t", "ctx", "tc", "nt", "nodeTest", "vitest"]);
const NAMESPACE =
  /(?:import\s+\*\s+as\s+(\w+)\s+from|(?:const|let|var)\s+(\w+)\s*=\s*require\s*\()\s*["'](?:node:test|vitest|mocha|@jest\/globals|@playwright\/test)["']/g;

const CANDIDATES = new RegExp(`(?<![\\w$])(?:${[...HEADS].join("|")})(?![\\w$])`, "g");

/**
 * Finds tests in JavaScript, TypeScript and their JSX forms. `text` only says where a look at the tree is worth it:
 * far fewer places than there are calls.
 */
export function javascriptTests(root: Node, text: string): readonly FoundTest[] {
  const receivers = new Set(RECEIVERS);
  for (const [, imported, required] of text.matchAll(NAMESPACE)) receivers.add(imported ?? required ?? "");
  const found: Declaration[] = [];
  for (const match of text.matchAll(CANDIDATES)) {
    const head = root.descendantForIndex(match.index, match.index + match[0].length);
    const declaration = head && declarationAt(head, match[0], receivers);
    if (declaration) found.push(declaration);
  }
  return nestTests(found.sort((a, b) => a.from - b.from || b.to - a.to));
}

interface Declaration extends TestTitle {
  readonly kind: "test" | "suite";
  readonly modifiers: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly call: Node;
}

function declarationAt(head: Node, word: string, receivers: ReadonlySet<string>): Declaration | undefined {
  const owner = ownerOf(head);
  if (owner === undefined || (owner !== null && !receivers.has(owner.text))) return undefined;
  const chain = climb(owner?.parent ?? head);
  if (!chain) return undefined;
  const [title, ...others] = chain.args.namedChildren.filter((node) => node?.type !== "comment");
  if (!title) return undefined;
  const suite = SUITE_HEADS.has(word) || chain.words.includes("describe");
  const words = chain.words.filter((one) => one !== "describe");
  // Without a body, only a plain pending test is meant; `test.skip(condition, "why")` and `t.test(text)` are not.
  const bodiless = isText(title) && owner === null && !suite;
  if (!bodiless && !others.some((node) => node && isBody(node))) return undefined;
  return {
    kind: suite ? "suite" : "test",
    modifiers: [...modifiersOfHead(word), ...words, ...optionWords(others)],
    ...readTitle(withoutType(title), words.includes("each") || words.includes("for")),
    from: chain.call.startIndex,
    to: chain.call.endIndex,
    call: chain.call,
  };
}

/** The receiver of `t.test`, null for a plain name, undefined where the word is something else altogether. */
function ownerOf(head: Node): Node | null | undefined {
  if (head.type === "identifier") return null;
  const owner = head.type === "property_identifier" ? head.parent?.childForFieldName("object") : undefined;
  return owner?.type === "identifier" ? owner : undefined;
}

interface Chain {
  readonly words: readonly string[];
  readonly call: Node;
  readonly args: Node;
}

/** Follows `test.describe.only(…)` and `it.skipIf(c).each(rows)(…)` outwards to the call that has the title. */
function climb(start: Node): Chain | undefined {
  const words: string[] = [];
  let callee = start;
  let mayCurry = false;
  for (let outer = callee.parent; outer; outer = callee.parent) {
    if (outer.type === "member_expression" && isField(outer, "object", callee)) {
      const word = outer.childForFieldName("property")?.text ?? "";
      if (word !== "describe" && !MODIFIERS.has(word)) return undefined;
      words.push(word);
      mayCurry = CURRIED.has(word);
    } else if (outer.type === "call_expression" && isField(outer, "function", callee)) {
      const args = outer.childForFieldName("arguments");
      if (!mayCurry) return args?.type === "arguments" ? { words, call: outer, args } : undefined;
      mayCurry = false;
    } else return undefined;
    callee = outer;
  }
  return undefined;
}

function isField(parent: Node, field: string, child: Node): boolean {
  return parent.childForFieldName(field)?.id === child.id;
}

function modifiersOfHead(head: string): readonly string[] {
  if (head.startsWith("x")) return ["skip"];
  return head.startsWith("f") ? ["only"] : [];
}

/** A function, or a name that may stand for one. */
function isBody(node: Node): boolean {
  return [
    "arrow_function",
    "function_expression",
    "generator_function",
    "identifier",
    "call_expression",
  ].includes(node.type);
}

/** `{ skip: true }` of vitest and node:test says the same as `.skip`. */
function optionWords(others: readonly (Node | null)[]): readonly string[] {
  const pairs = others.find((node) => node?.type === "object")?.namedChildren ?? [];
  return pairs.flatMap((pair) => {
    const word = pair?.type === "pair" ? (pair.childForFieldName("key")?.text ?? "") : "";
    const set = pair?.childForFieldName("value")?.type !== "false";
    return set && ["skip", "only", "todo", "concurrent", "fails"].includes(word) ? [word] : [];
  });
}

function withoutType(title: Node): Node {
  return ["as_expression", "satisfies_expression"].includes(title.type)
    ? (title.namedChild(0) ?? title)
    : title;
}

/** Nesting is containment: `declarations` come sorted by where they begin. */
function nestTests(declarations: readonly Declaration[]): readonly FoundTest[] {
  const around: Declaration[] = [];
  return declarations.map((declaration) => {
    while ((around.at(-1)?.to ?? Infinity) < declaration.to) around.pop();
    around.push(declaration);
    const { kind, title, modifiers, call } = declaration;
    const { row, column } = call.startPosition;
    return {
      kind,
      title,
      path: around.map((one) => one.title),
      patterns: around.map((one) => one.pattern),
      line: row + 1,
      firstLine: row + 1,
      endLine: call.endPosition.row + 1,
      column: column + 1,
      modifiers,
      parametrized: modifiers.includes("each") || modifiers.includes("for"),
    };
  });
}
