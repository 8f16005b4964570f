import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Recording } from "../../../../src/core/cassette/recording.ts";
import { createExportedCall } from "../../../../src/core/formats/export/exported-call.ts";
import { writeVcr } from "../../../../src/core/formats/export/vcr.ts";
import { createProviders } from "../../../../src/core/protocol/registry.ts";
import { aRecording } from "../../../support/a-recording.ts";

const modules = "import vcr, requests, httpx; print('vcrpy', vcr.__version__)";
const found = spawnSync("python3", ["-c", modules], { encoding: "utf8" });
const dir = mkdtempSync(join(tmpdir(), "tapedeck-vcrpy-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const json = "application/json";
const octets = "application/octet-stream";

/** Replies that a file format, a client, or a reader may get wrong. */
const REPLIES: readonly (readonly [name: string, type: string | undefined, body: Uint8Array])[] = [
  [
    "big numbers, escapes and spaces",
    json,
    bytesOf('{ "n": 9007199254740993,\n "x": 1.0, "s": "\\ud800\\/" }'),
  ],
  [
    "text of every plane",
    "text/plain; charset=utf-8",
    bytesOf("é 👋 \u0085 \u2028 \u2029 \ufeff \u007f \u0000 \t ' \" \\ #"),
  ],
  ["a mark at the beginning", json, bytesOf("\ufeff{}")],
  [
    "events with CRLF",
    "text/event-stream",
    bytesOf(': hi\r\n\r\ndata: {"a":1}\r\n\r\nevent: x\r\ndata: b\r\n\r\n'),
  ],
  ["events with CR and LF", "text/event-stream", bytesOf("data: a\r\rdata: b\n\n\n\ndata: [DONE]\n\n")],
  ["what is no UTF-8", "text/plain; charset=latin1", Uint8Array.from([0x63, 0xe9, 0xff, 0x0a])],
  ["sound", "audio/mpeg", Uint8Array.from({ length: 256 }, (_, index) => index)],
  ["a file that is compressed itself", "application/gzip", Uint8Array.from([0x1f, 0x8b, 8, 0, 1, 2, 3])],
  ["nothing", json, new Uint8Array(0)],
  ["no type", undefined, bytesOf("plain")],
  ["a long line", json, bytesOf(JSON.stringify({ text: "word ".repeat(2000) }))],
];

const recordings: readonly Recording[] = REPLIES.map(([name, type, body], index) => {
  const reply = { status: index % 3 === 0 ? 201 : 200, body };
  const asked = [
    { body: bytesOf(JSON.stringify({ name })), contentType: json },
    { body: Uint8Array.from([0xff, 0, index]), contentType: octets },
    {
      body: bytesOf("--b\r\ncontent-disposition: form-data\r\n\r\né\r\n--b--\r\n"),
      contentType: "multipart/form-data; boundary=b",
    },
  ][index % 3];
  const one = aRecording({
    operation: "http",
    request: { method: "POST", path: `/v1/made/up?n=${index}&q=%20`, ...asked },
    reply: type === undefined ? reply : { ...reply, contentType: type },
  });
  if (type !== undefined) return one;
  const { contentType: _none, ...typeless } = one.reply;
  return { ...one, reply: typeless };
});

test.skipIf(found.status !== 0)(
  "vcrpy replays an exported cassette byte for byte to requests and httpx (needs them: python3 -m pip install vcrpy requests httpx)",
  () => {
    const providers = createProviders();
    const exported = recordings.map((one) => createExportedCall(one, providers));
    writeFileSync(join(dir, "cassette.yaml"), writeVcr(exported));
    const calls = exported.map(({ url, recording: { request } }) => ({
      url,
      method: request.method,
      contentType: request.contentType ?? "",
      body: Buffer.from(request.body).toString("base64"),
    }));
    writeFileSync(join(dir, "calls.json"), JSON.stringify(calls));

    const script = resolve(import.meta.dirname, "../../../support/replay-vcr.py");
    const args = [script, join(dir, "cassette.yaml"), join(dir, "calls.json")];
    const output = execFileSync("python3", args, { encoding: "utf8", maxBuffer: 64 * 1_048_576 });

    const expected = ["with_requests", "with_httpx", "with_stream"].flatMap((client) =>
      recordings.map(({ reply }) => [
        client,
        reply.status,
        reply.contentType ?? "",
        Buffer.from(reply.body).toString("base64"),
      ]),
    );
    const lines = output.trim().split("\n");
    console.log(`▸ exported to ${found.stdout.trim()}: ${lines.length} replies byte for byte`);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(expected);
  },
);
