import { applyEdits, modify, parse, type EditResult, type ModificationOptions } from "jsonc-parser";
import { convertRuleToJson } from "../call/rule-text.ts";
import type { NormaliseRule } from "../call/rule.ts";
import { parseFile, type FilePlace } from "../cassette/file-reader.ts";
import { getMember } from "../base/json/json-tree.ts";
import { isJsonFault } from "../base/json/json-parse.ts";
import { createBrokenConfigError } from "./read-config.ts";

/**
 * The text of `tapedeck.jsonc` with a member set, or without it where the value is undefined; comments and everything
 * else stay. An empty text becomes a file.
 * @throws TapedeckError `tapedeck_usage` with the position where the text is no such file.
 */
export function withMember(text: string, name: string, value: unknown): string {
  return changeText(text, (start, _, how) => modify(start, [name], value, how));
}

/** The same with more rules. */
export function withRules(text: string, rules: readonly NormaliseRule[]): string {
  return rules.reduce(withRule, text);
}

export function withRule(text: string, rule: NormaliseRule): string {
  const added = convertRuleToJson(rule);
  return changeText(text, (start, { tree }, how) =>
    Array.isArray(getMember(tree, "normalise"))
      ? modify(start, ["normalise", -1], added, { ...how, isArrayInsertion: true })
      : modify(start, ["normalise"], [added], how),
  );
}

/** Returns a member as it is written in the file; undefined if it is absent. */
export function readConfigMember(text: string, name: string): unknown {
  const file: unknown = parse(text, [], { allowTrailingComma: true });
  return typeof file === "object" && file !== null ? (file as Record<string, unknown>)[name] : undefined;
}

function changeText(
  text: string,
  change: (start: string, file: FilePlace, how: ModificationOptions) => EditResult,
): string {
  const start = text.trim() === "" ? "{}\n" : text;
  const eol = start.includes("\r\n") ? "\r\n" : "\n";
  const how = { formattingOptions: { insertSpaces: true, tabSize: 2, eol } };
  return applyEdits(start, change(start, readStart(start), how));
}

function readStart(text: string): FilePlace {
  try {
    return parseFile(text.replace(/^\ufeff/, ""));
  } catch (error) {
    if (!isJsonFault(error)) throw error;
    throw createBrokenConfigError(error.reason, error.line, error.column);
  }
}
