import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { casesOf } from "../support/cases.ts";
import { conform, isStreamed, reasonsOf, requestOf, rowsOf, type Conformed } from "../support/conformance.ts";
import { sample } from "../support/corpus/corpus.ts";
import { loadRecordedTraffic, REAL_DATA, type RecordedExchange } from "../support/recorded-traffic.ts";

/** Every provider, also those that only the user knows. */
const traffic = loadRecordedTraffic(() => true);
const chosen = casesOf<(all: readonly RecordedExchange[]) => readonly RecordedExchange[]>({
  quick: (all) => {
    const [few, streams] = [sample(all), all.filter(isStreamed)];
    return [...few.filter((_, at) => at % 24 === 0), ...streams.filter((_, at) => at % 9 === 0)];
  },
  long: (all) => all,
})(traffic.exchanges);
const dir = mkdtempSync(join(tmpdir(), "tapedeck-traffic-"));

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe("recorded traffic", () => {
  test("is recorded through an upstream that cuts it anywhere, and replayed byte for byte with the upstream gone", async () => {
    const conformed = await conform(chosen, { dir, seed: 20261121 });

    const wrong = conformed.filter(({ verdict }) => verdict === "wrong");
    const exact = conformed.filter(({ verdict }) => verdict === "exact");
    console.log(`▸ traffic, recorded and replayed: ${countsOf(exact)}`);
    for (const { name, exact: count, streams } of REAL_DATA === undefined ? [] : rowsOf(exact))
      console.log(`▸   ${name}: ${count - streams} in one piece, ${streams} streams`);
    for (const [reason, count] of reasonsOf(conformed, traffic))
      console.log(`▸   left out: ${count} times, each ${reason}`);
    expect(wrong.map(({ exchange, reason }) => `${exchange.source} ${reason}`)).toEqual([]);
    expect(exact.length).toBeGreaterThan(casesOf({ quick: 25, long: 500 }));
    expect(conformed.length).toBe(chosen.length);
  });
});

function countsOf(exact: readonly Conformed[]): string {
  const exchanges = exact.map(({ exchange }) => exchange);
  const streams = exchanges.filter(isStreamed).length;
  const bytes = exchanges.reduce((sum, { reply }) => sum + reply.body.byteLength, 0);
  const repeats = exchanges.length - new Set(exchanges.map(requestOf)).size;
  return `${exchanges.length} replies byte for byte (${streams} streams, ${repeats} repeated requests, ${bytes} bytes)`;
}
