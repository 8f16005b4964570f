import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { WireHeaders } from "../../../../src/core/call/call.ts";
import type { Recording } from "../../../../src/core/cassette/recording.ts";
import { createExportedCall } from "../../../../src/core/formats/export/exported-call.ts";
import { writeHar } from "../../../../src/core/formats/export/har.ts";
import { writeVcr } from "../../../../src/core/formats/export/vcr.ts";
import { createProviders } from "../../../../src/core/protocol/registry.ts";
import { importFile } from "../../../../src/importing/import-files.ts";
import { casesOf } from "../../../support/cases.ts";
import { aRecording } from "../../../support/a-recording.ts";

const providers = createProviders();
const dir = mkdtempSync(join(tmpdir(), "tapedeck-export-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const WRITERS = {
  har: (recordings: readonly Recording[]) =>
    writeHar(
      recordings.map((one) => createExportedCall(one, providers)),
      "1.0.0",
    ),
  vcr: (recordings: readonly Recording[]) =>
    writeVcr(recordings.map((one) => createExportedCall(one, providers))),
};

/** What import makes of an export, and why it left anything out. */
async function imported(text: string): Promise<{ recordings: Recording[]; skipped: string[] }> {
  const path = join(dir, "exported");
  writeFileSync(path, text);
  const recordings: Recording[] = [];
  const report = await importFile(
    { path, shown: "exported", isNamed: true },
    {
      from: undefined,
      providers,
      project: { scan: () => [], config: { normalize: [] } } as never,
      upstreams: {},
      recordsErrors: false,
      root: dir,
      keeper: {
        begin: () => {},
        finish: async () => {},
        keep: async (recording: Recording) => {
          recordings.push(recording);
          return { entry: "", isNew: true };
        },
      },
      underWay: { begin: (work) => work(), settled: async () => {} },
      now: Date.UTC(2027, 0, 1),
    },
  );
  const summary = report();
  return {
    recordings,
    skipped: [
      ...summary.skipped.map(({ reason }) => reason),
      ...("unreadable" in summary ? ["unreadable"] : []),
    ],
  };
}

/** Texts with all that YAML, JSON and line endings treat in ways of their own. */
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom(
      ..."\r \n \r\n \u0085 \u2028 \u2029 \ufeff \u007f \u0000 \t \ufffe \uffff \u{10ffff} é e\u0301 👋".split(
        " ",
      ),
      ...`' " \\ \\u0041 # &a *a << % ~ null`.split(" "),
      ": ",
      "!!binary ",
    ),
  }),
);
const numbers = fc.constantFrom("9007199254740993", "1.0", "1e400", "-0", "12345678901234567890.10");
const json = fc
  .tuple(
    fc.string(),
    numbers,
    fc.constantFrom("", " ", "\n  "),
    fc.constantFrom('"\\ud800"', '"\\u0000"', '"\\/"', "{}"),
  )
  .map(
    ([name, number, blank, odd]) =>
      `${blank}{${JSON.stringify(name)}:${blank}${number},"odd":${odd}}${blank}`,
  );
const frames = fc
  .array(fc.tuple(fc.constantFrom("data: ", "data:", ": ", "event: x\n", "id: 1\ndata: "), text))
  .map((events) => events.map(([field, value]) => `${field}${value}\r\n\r\n`).join(""));
const gzipped = fc.uint8Array().map((bytes) => Uint8Array.from([0x1f, 0x8b, 8, 0, ...bytes]));
const bytesOf = (value: string): Uint8Array => new Uint8Array(Buffer.from(value));
const replyBody = fc.oneof(
  text.map(bytesOf),
  json.map(bytesOf),
  frames.map(bytesOf),
  fc.uint8Array({ maxLength: 300 }),
  gzipped,
);
const replyType = fc.constantFrom(
  ..."application/json audio/mpeg application/octet-stream application/x-ndjson text/event-stream".split(" "),
  undefined,
  "",
  "x-unknown",
  "application/json; charset=utf-8",
  "text/plain; charset=latin1",
);
const requestBody = fc.oneof(
  json.map((value) => ({ body: bytesOf(value), contentType: "application/json" })),
  text.filter((value) => value !== "").map((value) => ({ body: bytesOf(value), contentType: "text/plain" })),
  fc.uint8Array({ minLength: 1 }).map((body) => ({ body, contentType: "application/octet-stream" })),
  fc.constant({ body: new Uint8Array(0) }),
);

const KEYED: WireHeaders = [
  ["accept", "image/png;q=1, text/csv"],
  ["anthropic-beta", "a, b"],
];

const KEPT: WireHeaders = [
  ["x-request-id", "req_1"],
  ["location", "/v1/jobs/1?a=b"],
  ["etag", '"a: #b"'],
];

const VALUES = [
  { text: "thing", origin: "uuid 1" },
  { text: 'it\u2028"s: #1', origin: "temp folder job- 1" },
];

const recording = fc
  .record({
    provider: fc.constantFrom("openai", "bedrock", "of-my-own"),
    method: fc.constantFrom("POST", "GET", "PUT"),
    path: fc.constantFrom("/any/thing", "/any/thing?b=2&a=%20x", "/any/%C3%A9;x=1"),
    request: requestBody,
    headers: fc.constantFrom([], KEYED),
    values: fc.constantFrom(undefined, VALUES),
    status: fc.constantFrom(200, 201, 299),
    type: replyType,
    body: replyBody,
    kept: fc.constantFrom(undefined, KEPT),
  })
  .map(({ provider, method, path, request, headers, values, status, type, body, kept }) =>
    aRecording({
      provider,
      operation: "http",
      request: { method, path, headers, ...request, ...(values && { values }) },
      reply: {
        status,
        body,
        ...(kept && { headers: kept }),
        ...(type === undefined ? { contentType: undefined as never } : { contentType: type }),
      },
    }),
  );

const seen = ({ provider, operation, key, request, reply, recordedAt }: Recording) => ({
  provider,
  operation,
  key,
  recordedAt,
  request: [
    request.method,
    request.path,
    request.contentType ?? "",
    request.headers?.join("; ") ?? "",
    request.values ?? [],
    Buffer.from(request.body).toString("base64"),
  ],
  reply: [
    reply.status,
    reply.contentType ?? "",
    reply.headers?.join("; ") ?? "",
    Buffer.from(reply.body).toString("base64"),
  ],
});

describe.each(["har", "vcr"] as const)("an export to %s", (format) => {
  it("is imported as the same recordings, whatever their bytes are", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(recording, { minLength: 1, maxLength: 4 }), async (recordings) => {
        const { recordings: again, skipped } = await imported(WRITERS[format](recordings));

        expect(skipped).toEqual([]);
        expect(again.map(seen)).toEqual(recordings.map(seen));
      }),
      { numRuns: casesOf({ quick: 30, long: 100 }), seed: 20261121 },
    );
  });
});
