import { join } from "node:path";
import { expect, test } from "vitest";
import { CASSETTE_UPSTREAMS } from "../../support/cassette-files.ts";
import { isKept } from "../../support/conformance.ts";
import { loadCassettes } from "../../support/recorded-traffic.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

interface Report {
  readonly files: number;
  readonly imported: number;
  readonly present: number;
  readonly skipped: number;
  readonly refused: number;
  readonly reports: readonly {
    readonly file: string;
    readonly format: string | null;
    readonly imported: readonly { readonly entry: string }[];
    readonly present: readonly { readonly entry: string }[];
    readonly skipped: readonly { readonly place: string; readonly reason: string }[];
  }[];
}

test("every cassette is imported, all but calls without a whole answer; again changes nothing", async () => {
  const cwd = aProject();
  const cassettes = loadCassettes(join(cwd, "cassettes"));
  const upstreams = Object.entries(CASSETTE_UPSTREAMS).flatMap(([name, url]) => [
    "--upstream",
    `${name}=${url}`,
  ]);
  const argv = ["import", cassettes.folder, "--json", ...upstreams];

  const first = JSON.parse((await tapedeck(argv, { cwd })).stdout) as Report;
  const second = JSON.parse((await tapedeck(argv, { cwd })).stdout) as Report;

  const reasons = first.reports.flatMap(({ skipped }) => skipped.map(({ reason }) => reason));
  const counted = `${first.imported} imported, ${first.present} shared with another file, ${first.skipped} skipped`;
  console.log(`▸ ${first.files} VCR cassettes: ${counted}`);
  expect(first.files).toBe(cassettes.files);
  const ofFormat = (name: string) => first.reports.filter(({ format }) => format === name);
  const sessions = ofFormat("sockets").flatMap(({ imported, present }) => [...imported, ...present]);
  expect(ofFormat("vcr").length + ofFormat("sockets").length).toBe(cassettes.files);
  expect(
    reasons.filter(
      (reason) =>
        !/WebSocket message|gRPC call|does not begin like a session|answered with status [3-5]\d\d|is not a complete chat\.completions response/.test(
          reason,
        ),
    ),
  ).toEqual([]);
  expect(first.imported + first.present).toBe(cassettes.exchanges.filter(isKept).length + sessions.length);
  expect([second.imported, second.present]).toEqual([0, first.imported + first.present]);
});
