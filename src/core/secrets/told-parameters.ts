import type { NamedParameters } from "../cassette/credentials.ts";
import { looksLikeCredential, splitQuery } from "../cassette/secrets.ts";
import { percentDecoded } from "../wire/percent.ts";
import { BY_ITS_NAME, type Scan } from "./scanner.ts";

/**
 * How a call to a provider is searched whose credentials the project names: the values of its other `key` and `token`
 * parameters are none by their names. What is a key by its looks is found in any case.
 */
export function scanKnowing(scan: Scan, path: string, named: NamedParameters): Scan {
  const told = named === undefined ? [] : (splitQuery(path)[1] ?? "").split("&").filter(looksLikeCredential);
  if (told.length === 0) return scan;
  const values = new Set(told.map((pair) => percentDecoded(pair.slice(pair.indexOf("=") + 1))));
  return (text) => scan(text).filter(({ kind, value }) => kind !== BY_ITS_NAME || !values.has(value));
}
