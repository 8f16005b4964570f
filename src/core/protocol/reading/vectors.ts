import { listOf } from "./lenient.ts";
import { bytesOf } from "../../wire/text.ts";
import { plural } from "../../plural.ts";

/** "3 embeddings, 768 numbers each"; every length where they differ. `sizes` are counts of numbers. */
export function vectorWords(sizes: readonly number[]): string {
  const lengths = [...new Set(sizes)];
  const each = sizes.length > 1 && lengths.length === 1 ? " each" : "";
  const numbers = lengths.length === 0 ? "" : `, ${lengths.join(", ")} numbers${each}`;
  return `${plural(sizes.length, "embedding")}${numbers}`;
}

const MOST_NUMBERS = 4096;

/** A vector of length 1 that the text decides: alike for alike texts, and meaning nothing else. */
export function vectorFor(text: string, asked: number | undefined, usual: number): number[] {
  const length =
    asked !== undefined && Number.isInteger(asked) ? Math.min(Math.max(asked, 1), MOST_NUMBERS) : usual;
  let state = 2_166_136_261;
  for (const byte of bytesOf(text)) state = Math.imul(state ^ byte, 16_777_619);
  const numbers = Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2 ** 31;
  });
  const norm = Math.hypot(...numbers) || 1;
  return numbers.map((number) => Math.fround(number / norm));
}

/** How many numbers a vector has: a list of them, or base64 of 32-bit floats, which official SDKs of OpenAI ask for. */
export function numbersIn(vector: unknown): number {
  if (typeof vector === "string") return Math.floor((vector.replace(/=+$/, "").length * 3) / 16);
  return listOf(vector).length;
}
