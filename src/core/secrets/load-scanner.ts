import { scanWith, type Scan } from "./scanner.ts";

/**
 * Loads the rules when the first text is to be scanned. Values for which `isAllowed` is true are no secrets; what `scanKnown`
 * finds are some, whatever they look like. What a rule finds, too, is called by the rule: the same on every machine.
 */
export async function loadScanner(
  isAllowed?: (value: string) => boolean,
  scanKnown: Scan = () => [],
): Promise<Scan> {
  const { scanAll } = await import("./rules.ts");
  return scanWith((text) => [...scanAll(text), ...scanKnown(text)], isAllowed);
}
