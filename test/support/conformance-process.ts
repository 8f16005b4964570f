import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conform, reasonsOf, rowOf, rowsOf, type ConformanceRow } from "./conformance.ts";
import { loadRecordedTraffic } from "./recorded-traffic.ts";

const seed = Number(process.argv[2]);
const traffic = loadRecordedTraffic(() => true);
const dir = mkdtempSync(join(tmpdir(), "tapedeck-conformance-"));
const conformed = await conform(traffic.exchanges, { dir, seed });
rmSync(dir, { recursive: true, force: true });

console.log(`seed ${seed}`);
const rows = [...rowsOf(conformed), rowOf("all", conformed)];
const width = Math.max(...rows.map(({ name }) => name.length));
const columns = ["files", "exchanges", "streams", "exact", "wrong", "excluded"] as const;
console.log([" ".repeat(width), ...columns.map((name) => name.padStart(9))].join("  "));
for (const row of rows) console.log(lineOf(row));
console.log("\nexcluded:");
for (const [reason, count] of reasonsOf(conformed, traffic))
  console.log(`${String(count).padStart(5)}  ${reason}`);
const wrong = conformed.filter(({ verdict }) => verdict === "wrong");
for (const { exchange, reason } of wrong) console.log(`wrong: ${exchange.source} ${reason}`);
// An exit at once would cut what is printed into a pipe.
process.exitCode = wrong.length === 0 ? 0 : 1;

function lineOf(row: ConformanceRow): string {
  return [row.name.padEnd(width), ...columns.map((name) => String(row[name]).padStart(9))].join("  ");
}
