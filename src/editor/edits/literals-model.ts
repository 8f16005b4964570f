import type { Node } from "@vscode/tree-sitter-wasm";
import { loadGrammars, type GrammarName } from "../test-discovery/grammars-model.ts";
import { javascriptText, pythonText } from "../test-discovery/literal-text-model.ts";
import { canonicalJson, isJsonNumber, type JsonTree } from "../../core/json/json-tree.ts";

/** Text that stands in a source as a literal, or between the holes of one. */
export interface Chunk {
  /** What the source stands for: escapes are resolved. */
  readonly text: string;
  /** 1-based line where it begins. */
  readonly line: number;
}

/** What a source says that may be sent, in source order. */
export interface Literals {
  readonly chunks: readonly Chunk[];
  readonly options: readonly SourceOption[];
}

const NOTHING: Literals = { chunks: [], options: [] };

/** Reads the literals of source files by parsing. Languages are VS Code's ids. */
export interface LiteralReader {
  /** Nothing for a language without a grammar. */
  read(text: string, languageId: string): Promise<Literals>;
  dispose(): void;
}

const GRAMMARS: ReadonlyMap<string, GrammarName> = new Map([
  ["typescript", "typescript"],
  ["typescriptreact", "tsx"],
  ["javascript", "tsx"],
  ["javascriptreact", "tsx"],
  ["python", "python"],
]);

/** `grammarsDir` holds the runtime and the grammars (`dist/grammars`); each is loaded when needed. */
export async function createLiteralReader(options: { readonly grammarsDir: string }): Promise<LiteralReader> {
  const grammars = await loadGrammars(options.grammarsDir);
  const parser = grammars.newParser();
  return {
    async read(text, languageId) {
      const name = GRAMMARS.get(languageId);
      if (name === undefined) return NOTHING;
      const language = await grammars.language(name);
      parser.setLanguage(language);
      const tree = parser.parse(text);
      try {
        const root = tree?.rootNode;
        return root ? { chunks: chunksIn(root, name === "python"), options: optionsIn(root) } : NOTHING;
      } finally {
        tree?.delete();
      }
    },
    dispose: () => parser.delete(),
  };
}

function chunksIn(root: Node, isPython: boolean): readonly Chunk[] {
  const literals = root.descendantsOfType(["string", "template_string"]);
  return literals.flatMap((node) => {
    if (!node || isNoValue(node)) return [];
    const row = node.startPosition.row + 1;
    const texts = isPython ? pythonPieces(node) : javascriptPieces(node);
    let line = row;
    return texts.flatMap((piece) => {
      const at = line;
      line += piece.lines;
      return piece.text === "" ? [] : [{ text: piece.text, line: at }];
    });
  });
}

/** Modules that are imported, types, docstrings and directives never reach a call. */
function isNoValue({ parent, type }: Node): boolean {
  const around = parent?.type ?? "";
  if (/^(?:import|export)_/.test(around) || around === "literal_type") return true;
  return around === "expression_statement" && type === "string";
}

interface Piece {
  readonly text: string;
  /** Line breaks in its source, and in the hole after it. */
  readonly lines: number;
}

function javascriptPieces(node: Node): readonly Piece[] {
  return piecesBetween(node, { hole: "template_substitution", open: 1, close: 1, read: javascriptText });
}

function pythonPieces(node: Node): readonly Piece[] {
  const [, prefix = "", quote = ""] = /^([A-Za-z]*)("""|'''|"|')/.exec(node.text) ?? [];
  if (/b/i.test(prefix)) return [];
  const isFormat = /[ft]/i.test(prefix);
  const read = (source: string): string => {
    const text = /r/i.test(prefix) ? source : pythonText(source);
    return isFormat ? text.replaceAll("{{", "{").replaceAll("}}", "}") : text;
  };
  return piecesBetween(node, {
    hole: "interpolation",
    open: prefix.length + quote.length,
    close: quote.length,
    read,
  });
}

interface Shape {
  readonly hole: string;
  /** Characters of the quotes before and after. */
  readonly open: number;
  readonly close: number;
  readonly read: (source: string) => string;
}

function piecesBetween(node: Node, { hole, open, close, read }: Shape): readonly Piece[] {
  const source = node.text;
  const holes = node.namedChildren.filter((child) => child?.type === hole);
  const pieces: Piece[] = [];
  let from = open;
  for (const child of holes) {
    if (!child) continue;
    const end = child.startIndex - node.startIndex;
    const next = child.endIndex - node.startIndex;
    pieces.push({ text: read(source.slice(from, end)), lines: breaksIn(source.slice(from, next)) });
    from = next;
  }
  const last = source.slice(from, Math.max(from, source.length - close));
  return [...pieces, { text: read(last), lines: breaksIn(last) }];
}

const breaksIn = (text: string): number => text.split("\n").length - 1;

/** A number or a truth value that stands in a source under a name, e.g. `temperature: 0.2`. Its text is both. */
export interface SourceOption extends Chunk {
  readonly name: string;
  readonly value: JsonTree;
}

const VALUES = ["number", "integer", "float", "true", "false"];

/** Named by a member, an argument, a parameter's default, a variable or a field; in source order. */
function optionsIn(root: Node): readonly SourceOption[] {
  return root.descendantsOfType(VALUES).flatMap((node) => {
    if (!node) return [];
    const signed = node.parent?.type.startsWith("unary_") === true ? node.parent : node;
    const name = signed ? optionName(signed) : undefined;
    const value = signed ? jsonValue(signed.text) : undefined;
    if (name === undefined || value === undefined) return [];
    const text = optionText(name, value);
    if (text === undefined) return [];
    return [{ name, value, text, line: node.startPosition.row + 1 }];
  });
}

function optionName(value: Node): string | undefined {
  const { parent } = value;
  if (!parent) return undefined;
  const field = (...names: readonly string[]): Node | undefined =>
    names.map((name) => parent.childForFieldName(name)).find((node) => node !== null) ?? undefined;
  if (field("value", "right")?.id !== value.id) return undefined;
  const named = field("key", "name", "left", "pattern");
  // Of options.temperature the last part is the name.
  const last = named?.childForFieldName("property") ?? named?.childForFieldName("attribute") ?? named;
  const name = last?.text.replace(/^(["'])(.*)\1$/u, "$2") ?? "";
  return /^[A-Za-z_][\w-]*$/u.test(name) ? name : undefined;
}

/** As a client writes it in JSON; undefined for what JSON has no spelling for. */
function jsonValue(source: string): JsonTree | undefined {
  if (/^(?:true|True)$/u.test(source)) return true;
  if (/^(?:false|False)$/u.test(source)) return false;
  const number = Number(source.replaceAll(/[_ ]/gu, ""));
  // Digits that a double does not hold are not what a program sends.
  return Number.isFinite(number) ? { number: String(number) } : undefined;
}

/** One spelling for maxTokens and max_tokens. */
const normaliseName = (name: string): string => name.replaceAll(/[_-]/gu, "").toLowerCase();

/** The same name, or another spelling of it. */
export function isNamesake(one: SourceOption, other: SourceOption): boolean {
  return normaliseName(one.name) === normaliseName(other.name);
}

/** The text under which a member of a request or a name in a source is one option; undefined for any other value. */
export function optionText(name: string, value: JsonTree): string | undefined {
  if (typeof value !== "boolean" && !isJsonNumber(value)) return undefined;
  return `${normaliseName(name)}: ${canonicalJson(value)}`;
}
