import type { Difference } from "../../call.ts";
import type { RequestBody } from "../../protocol/protocol.ts";
import { normaliseAddress, queryPairs } from "../key/address.ts";
import { compareBodies } from "./compare-body.ts";
import { mergedNames, type Report } from "./comparison.ts";
import { excerpts } from "./excerpt.ts";

/** More are counted, not listed. */
const LISTED = 20;

/** What of a request is compared; provider and operation are the same. */
export interface ComparedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: RequestBody;
}

/**
 * What has to change for the recorded request to become the one that was asked: method, path, query, then the body
 * in wire order. At most 20 are listed; one more says how many are left. Empty exactly where both have the same key.
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
  compareAddresses(recorded.path, asked.path, report);
  compareBodies(recorded.body, asked.body, report);
  if (count <= LISTED) return listed;
  return [...listed, { at: "", kind: "changed", text: `and ${count - LISTED} more` }];
}

function compareMethods(recorded: string, asked: string, report: Report): void {
  if (recorded === asked) return;
  report(() => ({ at: "method", kind: "changed", recorded, asked, text: `method ${recorded} → ${asked}` }));
}

function compareAddresses(recordedPath: string, askedPath: string, report: Report): void {
  const recorded = normaliseAddress(recordedPath);
  const asked = normaliseAddress(askedPath);
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
  const before = valuesByName(recorded);
  const after = valuesByName(asked);
  const names = mergedNames([...before.keys()], [...after.keys()]).filter(
    (name) => before.get(name) !== after.get(name),
  );
  for (const name of names) report(() => queryDifference(name, before.get(name), after.get(name)));
  // `a` and `a=` are two queries with the same names and values.
  if (names.length === 0) report(() => queryDifference("as a whole", recorded, asked));
}

/** Values of a name that stands more than once are one text. */
function valuesByName(query: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of queryPairs(query)) {
    const others = values.get(name);
    values.set(name, others === undefined ? value : `${others}&${value}`);
  }
  return values;
}

function queryDifference(name: string, recorded: string | undefined, asked: string | undefined): Difference {
  const label = `query ${name}`;
  if (recorded === undefined) {
    const value = asked?.slice(0, 120) ?? "";
    return { at: "query", kind: "added", asked: value, text: `${label} added: ${value}` };
  }
  if (asked === undefined) {
    const value = recorded.slice(0, 120);
    return { at: "query", kind: "removed", recorded: value, text: `${label} removed: ${value}` };
  }
  const [before, after] = excerpts(recorded, asked) ?? ["one value", "another"];
  return {
    at: "query",
    kind: "changed",
    recorded: before,
    asked: after,
    text: `${label} ${before} → ${after}`,
  };
}
