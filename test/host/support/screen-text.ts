import type { Locator } from "playwright-core";

/** Text as a person reads it: the editor draws spaces as non-breaking ones and icons as private characters. */
export function plain(text: string): string {
  return text
    .replaceAll("\u00A0", " ")
    .replaceAll(/[\uE000-\uF8FF\u200B]/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The texts of all that match, in the order of the document. */
export async function plainTexts(locator: Locator): Promise<string[]> {
  return (await locator.allInnerTexts()).map(plain);
}
