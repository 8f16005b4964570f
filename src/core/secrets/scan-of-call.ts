import type { NamedParameters } from "../cassette/credentials.ts";
import { mayBeCredential, splitQuery, valueOfParameter } from "../cassette/secrets.ts";
import { BY_ITS_NAME, type Scan } from "./scanner.ts";

/**
 * How a call is searched. Where the project names its provider's credentials, the values of its other `key` and `token`
 * parameters are no secrets by their names; what is one by its looks is found in any case.
 */
export function scanOfCall(scan: Scan, path: string, named: NamedParameters): Scan {
  const others = named === undefined ? [] : (splitQuery(path)[1] ?? "").split("&").filter(mayBeCredential);
  if (others.length === 0) return scan;
  const values = new Set(others.map(valueOfParameter));
  return (text) => scan(text).filter(({ kind, value }) => kind !== BY_ITS_NAME || !values.has(value));
}
