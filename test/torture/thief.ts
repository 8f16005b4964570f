import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow } from "../support/files-below.ts";

/**
 * What a thief reads in a folder: its files as they are, without their escapes, and with the pieces of streams put
 * together, which stand in `members`.
 */
export function readByThief(dir: string, members: readonly string[]): string {
  const piece = new RegExp(`"(?:${members.join("|")})": ?"((?:[^"\\\\]|\\\\.)*)"`, "g");
  return filesBelow(dir)
    .flatMap((file) => {
      const text = readFileSync(join(dir, file), "utf8");
      const joined = [...text.matchAll(piece)].map(([, found]) => found).join("");
      return [text, joined].flatMap((raw) => [raw, unescaped(raw), unescaped(unescaped(raw))]);
    })
    .join("\n");
}

/** A text without the escapes of JSON. */
export function unescaped(text: string): string {
  return text.replaceAll(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, unit: string | undefined, char: string) =>
    unit === undefined ? ({ n: "\n" }[char] ?? char) : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}
