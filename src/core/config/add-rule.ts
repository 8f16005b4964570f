import { applyEdits, modify } from "jsonc-parser";
import { ruleJson } from "../view/rule-text.ts";
import type { NormaliseRule } from "../match/rules/rule.ts";
import { parseFile } from "../cassette/file-reader.ts";
import { member } from "../json/json-tree.ts";
import { isJsonFault } from "../json/json-parse.ts";
import { broken } from "./read-config.ts";

/** As `withRule`, with several. @throws as it. */
export function withRules(text: string, rules: readonly NormaliseRule[]): string {
  return rules.reduce(withRule, text);
}

/**
 * The text of `tapedeck.jsonc` with one more rule; comments and everything else stay. An empty text becomes a file.
 * @throws TapedeckError `tapedeck_usage` with the position where the text is no such file.
 */
export function withRule(text: string, rule: NormaliseRule): string {
  const start = text.trim() === "" ? "{}\n" : text;
  let hasList: boolean;
  try {
    const { tree } = parseFile(start.replace(/^\ufeff/, ""));
    hasList = Array.isArray(member(tree, "normalise"));
  } catch (error) {
    if (!isJsonFault(error)) throw error;
    throw broken(error.reason, error.line, error.column);
  }
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: start.includes("\r\n") ? "\r\n" : "\n" };
  const added = ruleJson(rule);
  const edits = hasList
    ? modify(start, ["normalise", -1], added, { formattingOptions, isArrayInsertion: true })
    : modify(start, ["normalise"], [added], { formattingOptions });
  return applyEdits(start, edits);
}
