import { visibleLine } from "../../core/view/visible.ts";

const LENGTH = 80;

/** A title for a place that has one line: no breaks, nothing that steers a terminal, not longer than is read. */
export function onOneLine(text: string): string {
  const characters = Array.from(visibleLine(text));
  return characters.length <= LENGTH
    ? characters.join("")
    : `${characters
        .slice(0, LENGTH - 1)
        .join("")
        .trimEnd()}…`;
}
