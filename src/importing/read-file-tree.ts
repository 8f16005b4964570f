import type { FileTree } from "../core/formats/import/tree.ts";
import { isJsonFault } from "../core/json/json-fault.ts";
import { parseJson } from "../core/json/json-parse.ts";

/** What a file holds; or why it cannot be read, as the end of a sentence about it. */
export type FileContent = { readonly tree: FileTree } | { readonly unreadable: string };

/** Reads JSON, lines of JSON (as a list of their values), and YAML, whatever the file is called. */
export async function readFileTree(text: string): Promise<FileContent> {
  const own = text.replace(/^\ufeff/, "");
  if (own.trim() === "") return { unreadable: "is empty" };
  const looksLikeJson = /^\s*[[{]/.test(own);
  if (!looksLikeJson) return yaml(own);
  try {
    return { tree: parseJson(own) };
  } catch (error) {
    if (!isJsonFault(error)) throw error;
    // Lines of JSON fail where the second one begins; a flow map of YAML is rare, but is YAML.
    const lines = linesOf(own);
    if (lines !== undefined) return { tree: lines };
    const asYaml = await yaml(own);
    return "tree" in asYaml ? asYaml : { unreadable: `is no JSON: ${error.message}` };
  }
}

/** Undefined where the first line is no JSON; a later one that is none stands as a text. */
function linesOf(text: string): FileTree | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const values = lines.map((line) => {
    try {
      return parseJson(line);
    } catch (error) {
      if (isJsonFault(error)) return undefined;
      throw error;
    }
  });
  return values[0] === undefined || values.length < 2 ? undefined : values.map((value) => value ?? null);
}

/** The reader is a bundle of its own beside the program: most commands never need it. */
async function yaml(text: string): Promise<FileContent> {
  const { readYaml } = await import("./read-yaml.ts");
  try {
    const tree = readYaml(text);
    return typeof tree === "object" && tree !== null
      ? { tree }
      : { unreadable: "is neither JSON nor YAML of recordings" };
  } catch (error) {
    return { unreadable: `is no YAML: ${error instanceof Error ? error.message : String(error)}` };
  }
}
