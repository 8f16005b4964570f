import type { Miss } from "../../core/call.ts";
import { printable } from "../../core/view/rendered-document.ts";
import { keyDigits } from "../../core/view/names.ts";

/** How many differences one line spells out. */
const SPELLED_OUT = 5;

/** What keeps a missed call from the nearest recording, on one line: `temperature 0.2 → 0.7 (nearest 3f9a2c41)`. */
export function missText({ nearest }: Pick<Miss, "nearest">): string {
  if (nearest === undefined) return "nothing of this kind is recorded";
  const { differences, departure, key } = nearest;
  const texts = differences.slice(0, SPELLED_OUT).map(({ text }) => text);
  if (differences.length > SPELLED_OUT) texts.push(`and ${differences.length - SPELLED_OUT} more`);
  const first = departure === undefined ? "" : `; first at ${oneLine(departure.text)}`;
  return `${oneLine(texts.join("; "))} (nearest ${keyDigits(key)})${first}`;
}

/** Text of others for a terminal: harmless, and on one line. */
export function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, " ").trim();
}
