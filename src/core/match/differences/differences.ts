import type { Difference, WireHeaders } from "../../call.ts";
import { isCredentialPair } from "../../cassette/credentials.ts";
import type { RequestBody } from "../../protocol/protocol.ts";
import { normaliseAddress, queryPairs, type Address } from "../key/key.ts";
import { keyHeaders, type RequestHeaders } from "../key/key-headers.ts";
import { compareBodies } from "./compare-body.ts";
import { mergedNames, type Report } from "./comparison.ts";
import { excerpts } from "./excerpt.ts";

/** More are counted, not listed. */
const LISTED = 20;

/** What of a request is compared; provider and operation are the same. */
export interface ComparedRequest extends RequestHeaders {
  readonly provider: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: RequestBody;
}

/**
 * What has to change for the recorded request to become the one that was asked: method, path, query, headers, then the
 * body in wire order. At most 20 are listed; one more says how many are left. Empty exactly where both have the same key.
 * Values are cut to about 120 characters around the difference; base64 and data URLs are named, never shown.
 */
export function differences(recorded: ComparedRequest, asked: ComparedRequest): readonly Difference[] {
  const listed: Difference[] = [];
  let count = 0;
  const report: Report = (difference) => {
    count += 1;
    if (count <= LISTED) listed.push(difference());
  };
  compareMethods(recorded.method.toUpperCase(), asked.method.toUpperCase(), report);
  const [before, after] = [recorded, asked].map(({ path, provider }) => normaliseAddress(path, provider));
  if (before && after) compareAddresses(before, after, report);
  // Where nobody looked at them, none is known to differ.
  if (recorded.headers !== undefined) compareHeaders(keyHeaders(recorded), keyHeaders(asked), report);
  compareBodies(recorded.body, asked.body, report);
  if (count <= LISTED) return listed;
  return [...listed, { at: "", kind: "changed", text: `and ${count - LISTED} more` }];
}

function compareMethods(recorded: string, asked: string, report: Report): void {
  if (recorded === asked) return;
  report(() => ({ at: "method", kind: "changed", recorded, asked, text: `method ${recorded} → ${asked}` }));
}

function compareAddresses(recorded: Address, asked: Address, report: Report): void {
  if (recorded.path !== asked.path) {
    report(() => {
      const [before, after] = excerpts(recorded.path, asked.path) ?? ["one path", "another"];
      return {
        at: "path",
        kind: "changed",
        recorded: before,
        asked: after,
        text: `path ${before} → ${after}`,
      };
    });
  }
  if (recorded.query !== asked.query) compareQueries(recorded.query, asked.query, report);
}

function compareQueries(recorded: string, asked: string, report: Report): void {
  const [before, after] = [valuesByName(recorded), valuesByName(asked)];
  // `a` and `a=` are two queries with the same names and values.
  if (comparePairs("query", [before, after], report) === 0)
    report(() => pairDifference(["query", "as a whole"], recorded, asked));
}

function compareHeaders(recorded: WireHeaders, asked: WireHeaders, report: Report): void {
  comparePairs("header", [new Map(recorded), new Map(asked)], report);
}

type Values = ReadonlyMap<string, string>;

/** Gives how many differ. */
function comparePairs(at: At, [before, after]: readonly [Values, Values], report: Report): number {
  const names = mergedNames([...before.keys()], [...after.keys()]).filter(
    (name) => before.get(name) !== after.get(name),
  );
  for (const name of names) report(() => pairDifference([at, name], before.get(name), after.get(name)));
  return names.length;
}

/** Values of a name that stands more than once are one text. */
function valuesByName(query: string): Values {
  const values = new Map<string, string>();
  for (const [name, value] of queryPairs(query)) {
    const others = values.get(name);
    values.set(name, others === undefined ? value : `${others}&${value}`);
  }
  return values;
}

type At = "query" | "header";

function pairDifference(
  [at, name]: readonly [At, string],
  recorded: string | undefined,
  asked: string | undefined,
): Difference {
  const label = `${at} ${name}`;
  if (at === "query" && [recorded, asked].some((value) => isCredentialPair(`${name}=${value ?? ""}`))) {
    const kind = recorded === undefined ? "added" : asked === undefined ? "removed" : "changed";
    return { at, kind, text: `${label} ${kind} (its value may be a credential)` };
  }
  if (recorded === undefined) {
    const value = asked?.slice(0, 120) ?? "";
    return { at, kind: "added", asked: value, text: `${label} added: ${value}` };
  }
  if (asked === undefined) {
    const value = recorded.slice(0, 120);
    return { at, kind: "removed", recorded: value, text: `${label} removed: ${value}` };
  }
  const [before, after] = excerpts(recorded, asked) ?? ["one value", "another"];
  return { at, kind: "changed", recorded: before, asked: after, text: `${label} ${before} → ${after}` };
}
