import { applyEdits, modify } from "jsonc-parser";

/** Returns the text of a recording's file with another key. Comments and formatting stay. */
export function changeKey(text: string, key: string): string {
  return applyEdits(text, modify(text, ["key"], key, {}));
}
