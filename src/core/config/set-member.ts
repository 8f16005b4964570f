import { applyEdits, modify, parse } from "jsonc-parser";
import { parseFile } from "../cassette/file-reader.ts";
import { isJsonFault } from "../json/json-parse.ts";
import { broken } from "./read-config.ts";

/**
 * The text of `tapedeck.jsonc` with a member set, or without it where the value is undefined; comments and everything
 * else stay. An empty text becomes a file.
 * @throws TapedeckError `tapedeck_usage` with the position where the text is no such file.
 */
export function withMember(text: string, name: string, value: unknown): string {
  const start = text.trim() === "" ? "{}\n" : text;
  try {
    parseFile(start.replace(/^\ufeff/, ""));
  } catch (error) {
    if (!isJsonFault(error)) throw error;
    throw broken(error.reason, error.line, error.column);
  }
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: start.includes("\r\n") ? "\r\n" : "\n" };
  return applyEdits(start, modify(start, [name], value, { formattingOptions }));
}

/** A member of such a text as it stands there; undefined where it does not. */
export function memberIn(text: string, name: string): unknown {
  const file: unknown = parse(text, [], { allowTrailingComma: true });
  return typeof file === "object" && file !== null ? (file as Record<string, unknown>)[name] : undefined;
}
