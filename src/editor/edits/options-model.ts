import type { Node } from "@vscode/tree-sitter-wasm";
import { canonicalJson } from "../../core/match/canonical-json.ts";
import { isJsonArray, isJsonNumber, isJsonObject, type JsonTree } from "../../core/wire/json-tree.ts";
import type { ChunkChange } from "./chunk-changes-model.ts";
import type { Chunk } from "./literals-model.ts";

/** A number or a truth value that stands in a source under a name, e.g. `temperature: 0.2`. Its text is both. */
export interface SourceOption extends Chunk {
  readonly name: string;
  readonly value: JsonTree;
}

const VALUES = ["number", "integer", "float", "true", "false"];

/** Named by a member, an argument, a parameter's default, a variable or a field; in source order. */
export function optionsIn(root: Node): readonly SourceOption[] {
  return root.descendantsOfType(VALUES).flatMap((node) => {
    if (!node) return [];
    const signed = node.parent?.type.startsWith("unary_") === true ? node.parent : node;
    const name = signed ? nameOf(signed) : undefined;
    const value = signed ? valueOf(signed.text) : undefined;
    if (name === undefined || value === undefined || value === null) return [];
    const text = `${spelled(name)}: ${canonicalJson(value)}`;
    return [{ name, value, text, line: node.startPosition.row + 1 }];
  });
}

function nameOf(value: Node): string | undefined {
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
function valueOf(source: string): JsonTree | undefined {
  if (/^(?:true|True)$/u.test(source)) return true;
  if (/^(?:false|False)$/u.test(source)) return false;
  const number = Number(source.replaceAll(/[_ ]/gu, ""));
  // Digits that a double does not hold are not what a program sends.
  return Number.isFinite(number) ? { number: String(number) } : undefined;
}

/** One spelling for maxTokens and max_tokens. */
function spelled(name: string): string {
  return name.replaceAll(/[_-]/gu, "").toLowerCase();
}

/** An option that the request has and that changed. */
export interface AffectedOption {
  readonly before: SourceOption;
  /** What stands in its place; undefined where nobody can say. */
  readonly now: SourceOption | undefined;
  readonly isCertain: boolean;
}

/** What a recording's tests see of a file's options, before and now. */
export interface OptionsSeen {
  readonly before: readonly SourceOption[];
  readonly now: readonly SourceOption[];
  readonly changes: readonly ChunkChange<SourceOption>[];
}

/** Name and value have to be a member's of the request: a number alone says nothing. */
export function affectedOptions(body: JsonTree, seen: OptionsSeen): readonly AffectedOption[] {
  const sent = new Set(membersOf(body));
  const count = (options: readonly SourceOption[], wanted: string): number =>
    options.filter(({ text }) => text === wanted).length;
  const texts = new Set(seen.changes.map(({ before }) => before.text));
  return [...texts].flatMap((text) => {
    const own = seen.changes.filter(({ before }) => before.text === text && seen.before.includes(before));
    const [first] = own;
    const left = count(seen.now, text);
    if (first === undefined || !sent.has(text) || left >= count(seen.before, text)) return [];
    const after = new Set(own.map(({ now }) => now?.text));
    const isNamesake = first.now !== undefined && spelled(first.now.name) === spelled(first.before.name);
    const isKnown = left === 0 && after.size === 1 && isNamesake;
    return [{ before: first.before, now: isKnown ? first.now : undefined, isCertain: left === 0 }];
  });
}

/** The body with these options as they are now; one of which nobody can say gets the value `unknown`. */
export function withOptions(
  tree: JsonTree,
  affected: readonly AffectedOption[],
  unknown: JsonTree,
): JsonTree {
  if (isJsonArray(tree)) return tree.map((one) => withOptions(one, affected, unknown));
  if (tree === null || typeof tree !== "object" || !isJsonObject(tree)) return tree;
  return {
    members: tree.members.map(([name, value]) => {
      const found = affected.find(({ before }) => before.text === memberText(name, value));
      return [name, found ? (found.now?.value ?? unknown) : withOptions(value, affected, unknown)];
    }),
  };
}

function* membersOf(tree: JsonTree): Generator<string> {
  if (isJsonArray(tree)) for (const one of tree) yield* membersOf(one);
  else if (tree !== null && typeof tree === "object" && isJsonObject(tree))
    for (const [name, value] of tree.members) {
      const text = memberText(name, value);
      if (text !== undefined) yield text;
      yield* membersOf(value);
    }
}

function memberText(name: string, value: JsonTree): string | undefined {
  if (typeof value !== "boolean" && !isJsonNumber(value)) return undefined;
  return `${spelled(name)}: ${canonicalJson(value)}`;
}
