import type { Node } from "@vscode/tree-sitter-wasm";
import { escapePattern } from "../../core/test-names.ts";
import { ANY_TEXT } from "./found-test-model.ts";
import { javascriptText } from "./literal-text-model.ts";

/** A title in the source: what to show, and a pattern where only a run knows it. */
export interface TestTitle {
  readonly title: string;
  readonly pattern: string | null;
}

/** A piece of a title: text as it stands, or an expression that only a run knows. */
type Piece = { readonly text: string } | { readonly source: string };

/**
 * Reads the first argument of a test call: strings, templates, concatenations, and anything else as unknown.
 * `formatted` titles (each, for) have places that the runner fills: `%s`, `$name`.
 */
export function readTitle(node: Node, formatted: boolean): TestTitle {
  const pieces = piecesOf(node);
  const title = pieces
    .map((piece) => ("text" in piece ? piece.text : placeholderOf(piece.source, pieces)))
    .join("");
  const pattern = pieces
    .map((piece) => ("text" in piece ? textPattern(piece.text, formatted) : ANY_TEXT))
    .join("");
  const open = pattern.includes(ANY_TEXT) || pattern !== escapePattern(title);
  return { title, pattern: open ? pattern.replaceAll(ANY_TEXT + ANY_TEXT, ANY_TEXT) : null };
}

/** Whether a node is text at least in part, so that it can be nothing but a title. */
export const isText = (node: Node): boolean => piecesOf(node).some((piece) => "text" in piece);

function placeholderOf(source: string, pieces: readonly Piece[]): string {
  return pieces.length === 1 ? source : "${" + source + "}";
}

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
