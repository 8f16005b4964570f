import { wrongUsage, type TapedeckError } from "../errors.ts";
import { isJsonFault, parseJson } from "../json/json-parse.ts";
import { isJsonArray, type JsonTree } from "../json/json-tree.ts";
import { plainJson } from "../json/json-write.ts";
import type { ScriptedReply } from "./script.ts";

/**
 * Reads a script: a JSON list, or one JSON value a line. Each is a text, or an object with `reply` and what it is for.
 * @throws TapedeckError `tapedeck_usage` that names the file and the place
 */
export function readScript(text: string, file: string): readonly ScriptedReply[] {
  const replies = text.trimStart().startsWith("[") ? listed(text, file) : lined(text, file);
  if (replies.length === 0) throw fault(file, "it has no replies");
  return replies;
}

function listed(text: string, file: string): readonly ScriptedReply[] {
  const tree = parsed(text, (line, column) => `${file}:${line}:${column}`);
  return isJsonArray(tree) ? tree.map((one, index) => replyOf(one, `${file}, reply ${index + 1}`)) : [];
}

function lined(text: string, file: string): readonly ScriptedReply[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === "") return [];
    const tree = parsed(line, (_, column) => `${file}:${index + 1}:${column}`);
    return [replyOf(tree, `${file}:${index + 1}`)];
  });
}

function parsed(text: string, place: (line: number, column: number) => string): JsonTree {
  try {
    return parseJson(text);
  } catch (error) {
    if (isJsonFault(error)) throw fault(place(error.line, error.column), error.reason);
    throw error;
  }
}

const MATCHES = ["provider", "model", "text"];

function replyOf(tree: JsonTree, place: string): ScriptedReply {
  const value = plainJson(tree);
  if (typeof value === "string") return { reply: value };
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw fault(place, "a text, or an object with a reply, is expected");
  const given = value as Readonly<Record<string, unknown>>;
  const { reply, times } = given;
  for (const name of Object.keys(given)) {
    if (name !== "reply" && name !== "times" && !MATCHES.includes(name))
      throw fault(place, `"${name}" is nothing that a reply has`);
  }
  if (typeof reply !== "string") throw fault(place, "it has no reply, which is a text");
  const isTimes = times === undefined || times === "always" || (Number.isInteger(times) && Number(times) > 0);
  if (!isTimes) throw fault(place, 'times must be a whole number above 0, or "always"');
  for (const name of MATCHES) {
    if (given[name] !== undefined && typeof given[name] !== "string")
      throw fault(place, `${name} must be a text`);
  }
  return given as unknown as ScriptedReply;
}

function fault(place: string, why: string): TapedeckError {
  return wrongUsage(
    `The script cannot be used: ${place}: ${why}.`,
    'A script is a JSON list, or one JSON value a line: "a text" or {"reply": "a text", "model": "gpt-4o", "text": "hello", "times": 2}.',
  );
}
