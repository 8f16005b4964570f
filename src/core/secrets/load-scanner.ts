import type { KnownSecrets, Scan } from "./scanner.ts";

/**
 * Loads the table of kinds when the first text is searched. Values for which `isAllowed` is true are no secrets. Those in
 * `known` are secrets whatever they look like; a kind of the table names them first, the same on every machine.
 */
export async function loadScanner(
  isAllowed: (value: string) => boolean = () => false,
  known: KnownSecrets = { kind: "", spellings: [] },
): Promise<Scan> {
  return (await import("./scan-text.ts")).createScan(isAllowed, known);
}
