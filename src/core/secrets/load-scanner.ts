import { scanWith, type Scan } from "./scanner.ts";

/** Loads the rules when the first text is to be scanned. Values for which `isAllowed` is true are no secrets. */
export async function loadScanner(isAllowed?: (value: string) => boolean): Promise<Scan> {
  const { scanAll } = await import("./rules.ts");
  return scanWith(scanAll, isAllowed);
}
