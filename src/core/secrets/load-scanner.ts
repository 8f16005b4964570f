import { longestOf, type Scan } from "./scanner.ts";

/** Replaces a secret in documentation, and where somebody took one out. */
const BLANKED = /([xX*0.#])\1{11}/;

/**
 * Loads the table of kinds when the first text is searched. Values for which `isAllowed` is true are no secrets. What
 * `scanKnown` finds are secrets whatever they look like; a kind of the table names them first, the same on every machine.
 */
export async function loadScanner(
  isAllowed: (value: string) => boolean = () => false,
  scanKnown: Scan = () => [],
): Promise<Scan> {
  const { scanText } = await import("./scan-text.ts");
  return (text) => {
    const found = [...scanText(text), ...scanKnown(text)];
    return longestOf(found.filter(({ value }) => !BLANKED.test(value) && !isAllowed(value)));
  };
}
