import { applyEdits, modify, type EditResult, type ModificationOptions } from "jsonc-parser";
import { convertRuleToJson } from "../call/rule-text.ts";
import type { NormalizeRule } from "../call/rule.ts";
import { parseFile, type FilePlace } from "../cassette/file-reader.ts";
import { getMember } from "../base/json/json-tree.ts";
import { isJsonFault } from "../base/json/json-parse.ts";
import { createBrokenConfigError } from "./read-config.ts";

/**
 * Adds rules to the text of `tapedeck.jsonc`; comments and everything else stay. An empty text becomes a file.
 * @throws TapedeckError `tapedeck_usage` with the position if the text is not such a file.
 */
export function withRules(text: string, rules: readonly NormalizeRule[]): string {
  return rules.reduce(withRule, text);
}

export function withRule(text: string, rule: NormalizeRule): string {
  const added = convertRuleToJson(rule);
  return changeText(text, (start, { tree }, how) =>
    Array.isArray(getMember(tree, "normalize"))
      ? modify(start, ["normalize", -1], added, { ...how, isArrayInsertion: true })
      : modify(start, ["normalize"], [added], how),
  );
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
