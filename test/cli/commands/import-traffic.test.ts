import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createExportedCall } from "../../../src/core/formats/export/exported-call.ts";
import { writeHar } from "../../../src/core/formats/export/har.ts";
import { computeKey } from "../../../src/core/match/key/key.ts";
import { readOperationRequest } from "../../../src/core/match/read-request.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { sha256 } from "../../support/a-recording.ts";
import { CASSETTE_UPSTREAMS } from "../../support/cassette-files.ts";
import { isKept } from "../../support/conformance.ts";
import {
  loadArchived,
  loadCassettes,
  NAMED_UPSTREAMS,
  type RecordedExchange,
} from "../../support/recorded-traffic.ts";
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
    readonly skipped: readonly { readonly place: string; readonly reason: string }[];
  }[];
}

test("every cassette is imported, all but what is no whole answer over HTTP; again changes nothing", async () => {
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
  expect(first.reports.filter(({ format }) => format !== "vcr")).toEqual([]);
  expect(
    reasons.filter(
      (reason) =>
        !/WebSocket message|gRPC call|answered with status [3-5]\d\d|is not a complete chat\.completions response/.test(
          reason,
        ),
    ),
  ).toEqual([]);
  expect(first.imported + first.present).toBe(cassettes.exchanges.filter(isKept).length);
  expect([second.imported, second.present]).toEqual([0, first.imported + first.present]);
});

test("every reply and stream goes out as an archive and comes back byte for byte, with its key", async () => {
  const providers = createProviders(NAMED_UPSTREAMS);
  const recordings = loadArchived().filter(isKept).map(recordingOf);
  const cwd = aProject();
  const calls = recordings.map((recording) => createExportedCall(recording, providers));
  writeFileSync(join(cwd, "all.har"), writeHar(calls, "0"));

  const { stdout } = await tapedeck(["import", "all.har", "--json"], { cwd });

  const report = JSON.parse(stdout) as Report;
  const store = createFolderStore(join(cwd, ".tapedeck"));
  const entries = (report.reports[0]?.imported ?? []).map(({ entry }) => entry);
  const read = await Promise.all(entries.map((entry) => store.read(entry)));
  const wrong = recordings.filter(
    ({ key, reply }, index) =>
      read[index]?.key !== key || Buffer.compare(read[index].reply.body, reply.body) !== 0,
  );
  console.log(`▸ ${report.imported} recorded replies of the collection: exported and imported byte for byte`);
  expect(report.reports.flatMap(({ skipped }) => skipped)).toEqual([]);
  expect(wrong.map(({ request }) => request.path)).toEqual([]);
  expect(report.imported).toBe(recordings.length);
});

function recordingOf({ provider, operation, request: asked, reply }: RecordedExchange): Recording {
  const { headers: _, ...request } = asked;
  const key = computeKey(readOperationRequest({ provider, operation, request }), sha256);
  return { provider, operation, key, request, reply, recordedAt: "2026-01-01T00:00:00.000Z" };
}
