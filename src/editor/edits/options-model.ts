import type { Node } from "@vscode/tree-sitter-wasm";
import { canonicalJson } from "../../core/match/key/canonical-json.ts";
import { isJsonNumber, type JsonTree } from "../../core/json/json-tree.ts";
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
    if (name === undefined || value === undefined) return [];
    const text = optionText(name, value);
    if (text === undefined) return [];
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

/** The same name, or another spelling of it. */
export function isNamesake(one: SourceOption, other: SourceOption): boolean {
  return spelled(one.name) === spelled(other.name);
}

/** The text under which a member of a request or a name in a source is one option; undefined for any other value. */
export function optionText(name: string, value: JsonTree): string | undefined {
  if (typeof value !== "boolean" && !isJsonNumber(value)) return undefined;
  return `${spelled(name)}: ${canonicalJson(value)}`;
}
