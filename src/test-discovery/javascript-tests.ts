import type { Node } from "@vscode/tree-sitter-wasm";
import { type FoundTest, ANY_TEXT } from "./found-test.ts";
import { escapePattern } from "../core/call/test-names.ts";

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
 * Finds tests in JavaScript, TypeScript and their JSX forms. `text` only shows where a look at the tree is worth it:
 * far fewer places than there are calls.
 */
export function findJavascriptTests(root: Node, text: string): readonly FoundTest[] {
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
  readonly isSkipped: boolean;
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
  const words = new Set(chain.words);
  const suite = SUITE_HEADS.has(word) || words.has("describe");
  // Without a body, only a plain pending test is meant; `test.skip(condition, "why")` and `t.test(text)` are not.
  const bodiless = isText(title) && owner === null && !suite;
  if (!bodiless && !others.some((node) => node && isBody(node))) return undefined;
  return {
    kind: suite ? "suite" : "test",
    isSkipped: word.startsWith("x") || words.has("skip") || others.some(hasSkip),
    ...readTitle(withoutType(title), words.has("each") || words.has("for")),
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

/** `{ skip: true }` of vitest and node:test is equivalent to `.skip`. */
function hasSkip(argument: Node | null): boolean {
  const pairs = argument?.type === "object" ? argument.namedChildren : [];
  return pairs.some(
    (pair) =>
      pair?.childForFieldName("key")?.text === "skip" && pair.childForFieldName("value")?.type !== "false",
  );
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
    const { kind, title, isSkipped, call } = declaration;
    const line = call.startPosition.row + 1;
    const runsWith = around.findIndex((one) => one.kind === "test") + 1;
    return {
      kind,
      title,
      path: around.map((one) => one.title),
      patterns: around.map((one) => one.pattern),
      ...(runsWith > 0 && runsWith < around.length && { runsWith }),
      line,
      firstLine: line,
      endLine: call.endPosition.row + 1,
      isSkipped,
    };
  });
}

/** A title in the source: what to show, and a pattern where only a run knows it. */
interface TestTitle {
  readonly title: string;
  readonly pattern: string | null;
}

/** A part of a title: literal text, or an expression whose value is known only at run time. */
type Piece = { readonly text: string } | { readonly source: string };

/**
 * Reads the first argument of a test call: strings, templates, concatenations, and anything else as unknown.
 * `formatted` titles (each, for) have places that the runner fills: `%s`, `$name`.
 */
function readTitle(node: Node, formatted: boolean): TestTitle {
  const pieces = piecesOf(node);
  const placeholder = (source: string): string => (pieces.length === 1 ? source : "${" + source + "}");
  const title = pieces.map((piece) => ("text" in piece ? piece.text : placeholder(piece.source))).join("");
  const pattern = pieces
    .map((piece) => ("text" in piece ? textPattern(piece.text, formatted) : ANY_TEXT))
    .join("");
  const open = pattern.includes(ANY_TEXT) || pattern !== escapePattern(title);
  return { title, pattern: open ? pattern.replaceAll(ANY_TEXT + ANY_TEXT, ANY_TEXT) : null };
}

/** Whether a node is text at least in part, so that it can be nothing but a title. */
const isText = (node: Node): boolean => piecesOf(node).some((piece) => "text" in piece);

function piecesOf(node: Node): readonly Piece[] {
  if (node.type === "string") return [{ text: javascriptText(node.text.slice(1, -1)) }];
  if (node.type === "template_string") return templatePieces(node);
  if (node.type === "parenthesized_expression" && node.namedChild(0))
    return piecesOf(node.namedChild(0) ?? node);
  const left = node.childForFieldName("left");
  const right = node.childForFieldName("right");
  if (node.type !== "binary_expression" || !left || !right) return [{ source: node.text }];
  if (node.childForFieldName("operator")?.type !== "+") return [{ source: node.text }];
  return [...piecesOf(left), ...piecesOf(right)];
}

function templatePieces(node: Node): readonly Piece[] {
  const source = node.text;
  const pieces: Piece[] = [];
  let from = 1;
  for (const child of node.namedChildren) {
    if (child?.type !== "template_substitution") continue;
    const start = child.startIndex - node.startIndex;
    pieces.push(
      { text: javascriptText(source.slice(from, start)) },
      { source: child.text.slice(2, -1).trim() },
    );
    from = child.endIndex - node.startIndex;
  }
  pieces.push({ text: javascriptText(source.slice(from, -1)) });
  const filled = pieces.filter((piece) => !("text" in piece) || piece.text !== "");
  return filled.length === 0 ? [{ text: "" }] : filled;
}

/** Formats of vitest, jest and node's `util.format`, and the `$name` of tables. */
const PLACES = /(%%|%[sdifjoOpc#$]|\$[A-Za-z_#][\w.#]*)/;

function textPattern(text: string, formatted: boolean): string {
  if (!formatted) return escapePattern(text);
  return text
    .split(PLACES)
    .map((piece, index) => (index % 2 === 0 ? escapePattern(piece) : piece === "%%" ? "%" : ANY_TEXT))
    .join("");
}

const NAMED: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
  "\n": "",
  "\r\n": "",
};

const JAVASCRIPT = /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|[\s\S])/g;

/** Resolves the escapes of a JavaScript string or template. Never throws: the code may be incomplete. */
function javascriptText(source: string): string {
  return source.replace(JAVASCRIPT, (escape) => {
    const after = escape.slice(1);
    return /^[ux]./.test(after)
      ? fromCode(after.replace(/[^0-9a-fA-F]/g, ""), 16, after)
      : (NAMED[after] ?? after);
  });
}

function fromCode(digits: string, base: number, none: string): string {
  const point = Number.parseInt(digits, base);
  return point <= 0x10ffff ? String.fromCodePoint(point) : none;
}
