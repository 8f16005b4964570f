import type { Found } from "./found.ts";
import { isObject, membersOf, type FileTree } from "./tree.ts";

/**
 * MetaGPT's `rsp_cache.json`: answers by the text that was asked. Nothing of it can be a recording: a call over HTTP
 * names a model and says who spoke, and these keys do not.
 */
export function readMetagpt(tree: FileTree): readonly Found[] {
  return membersOf(tree).map((_, index) => ({
    place: `entry ${index + 1}`,
    skipped:
      "has a key that knows neither model nor roles, so that it could answer another request than its own (list, show and MetaGPT's MockLLM read the file in place)",
  }));
}

/** Keys are whole prompts; answers are texts, or the code that was asked for. */
export function isMetagpt(tree: FileTree): boolean {
  const members = membersOf(tree);
  return (
    members.length > 0 &&
    members.every(([, value]) => typeof value === "string" || isObject(value)) &&
    members.some(([key]) => key.length > 100 || key.includes("#SYSTEM_MSG_END#") || key.startsWith('[{"'))
  );
}
