import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, test } from "vitest";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import * as more from "../../support/more-recorders.ts";
import * as files from "../../support/other-recorders.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

const whole = JSON.stringify(files.ANSWERED);

interface Case {
  readonly format: string;
  readonly name: string;
  readonly text: string | Uint8Array;
  /** What replies say, whatever their order. */
  readonly replies: readonly string[];
  /** The reasons why calls are skipped. */
  readonly skipped?: readonly string[];
}

const cases: readonly Case[] = [
  { format: "vcr", name: "python.yaml", text: files.VCRPY, replies: [whole, files.STREAM] },
  { format: "vcr", name: "httpx.yaml", text: files.HTTPX, replies: [whole, files.STREAM] },
  { format: "vcr", name: "chain.yaml", text: files.LANGCHAIN, replies: [whole, files.STREAM] },
  {
    format: "vcr",
    name: "chain.yaml.gz",
    text: gzipSync(files.LANGCHAIN),
    replies: [whole, files.STREAM],
  },
  {
    format: "vcr",
    name: "parsed.yaml",
    text: files.PARSED,
    replies: ['"content":"Hi"', '"content":"Hello"'],
    skipped: ["WebSocket", "gRPC", "status 429"],
  },
  { format: "vcr", name: "ruby.yml", text: files.RUBY, replies: [whole, whole] },
  { format: "vcr", name: "old-ruby.yml", text: files.OLD_RUBY, replies: [whole] },
  { format: "vcr", name: "go-1.yaml", text: more.GO_VCR_1, replies: [whole], skipped: ["status 500"] },
  { format: "vcr", name: "go-4.yaml", text: more.GO_VCR_4, replies: [whole] },
  { format: "vcr", name: "betamax.json", text: more.BETAMAX, replies: [files.ACCENTED, whole] },
  {
    format: "vcr",
    name: "odd-bodies.json",
    text: more.ODD_BODIES,
    replies: [],
    skipped: ['encoding "rot13"', 'encoding "UTF-16LE"', 'field "base64_encoded"', 'field "body_encoding"'],
  },
  {
    format: "jsonl",
    name: "odd-bodies.jsonl",
    text: JSON.stringify({
      request: { url: files.ADDRESS, body: files.ASKED },
      reply: { status: 200, body: "e30=", isBase64Encoded: true },
    }),
    replies: [],
    skipped: ['field "isBase64Encoded"'],
  },
  { format: "vcr", name: "merged.yaml", text: files.MERGED, replies: [whole, whole] },
  {
    format: "har",
    name: "chat.har",
    text: files.HAR,
    replies: [whole],
    skipped: ["WebSocket", "was aborted", "not a call", "body is not in the file"],
  },
  { format: "polly", name: "recording.har", text: files.POLLY, replies: [whole] },
  {
    format: "nock",
    name: "nock.json",
    text: files.NOCK,
    replies: [whole, whole, whole],
    skipped: ["by a pattern", "by a pattern", "by a pattern"],
  },
  {
    format: "jsonl",
    name: "calls.jsonl",
    text: files.LINES,
    replies: [whole, whole, files.STREAM],
    skipped: ["is not JSON", "does not have a request and a reply"],
  },
  {
    format: "jsonl",
    name: "mapping.json",
    text: JSON.stringify({
      request: { method: "POST", url: "/v1/chat/completions" },
      response: { status: 200 },
    }),
    replies: [],
    skipped: ['has the path /v1/chat/completions without a provider: add the whole address as "url"'],
  },
  {
    format: "metagpt",
    name: "rsp_cache.json",
    text: files.METAGPT,
    replies: [],
    skipped: ["has a key without model and roles"],
  },
];

interface Report {
  readonly reports: readonly {
    readonly format: string;
    readonly imported: readonly { readonly entry: string }[];
    readonly skipped: readonly { readonly reason: string }[];
  }[];
}

describe("import takes", () => {
  it.each(cases)("$format of $name by its content, and lists what it skips", async (one) => {
    const cwd = aProject({ [one.name]: one.text });

    const { code, stdout } = await tapedeck(["import", one.name, "--json"], { cwd });

    const [report] = (JSON.parse(stdout) as Report).reports;
    const recordings = await Promise.all(report!.imported.map(({ entry }) => read(cwd, entry)));
    expect(code).toBe(0);
    expect(report!.format).toBe(one.format);
    expect(report!.skipped.map(({ reason }) => reason)).toEqual(
      (one.skipped ?? []).map((text) => expect.stringContaining(text)),
    );
    expect(recordings.map(({ reply }) => Buffer.from(reply.body).toString())).toEqual(
      one.replies.map((text) => expect.stringContaining(text)),
    );
    expect(recordings.filter(({ operation }) => !operation.startsWith("chat"))).toEqual([]);
    expect(recordings.filter(({ request }) => request.method !== "POST")).toEqual([]);
  });

  it("bodies byte for byte: decompressed, streams with the bounds of their events, big numbers with their digits", async () => {
    const cwd = aProject({ "python.yaml": files.VCRPY, "parsed.yaml": files.PARSED });

    const { stdout } = await tapedeck(["import", "python.yaml", "parsed.yaml", "--json"], { cwd });

    const entries = (JSON.parse(stdout) as Report).reports.flatMap(({ imported }) => imported);
    const [json, stream, first, second] = await Promise.all(entries.map(({ entry }) => read(cwd, entry)));
    expect(Buffer.from(json!.reply.body).toString()).toBe(whole);
    expect([json!.reply.contentType, json!.recordedAt]).toEqual([
      "application/json; charset=utf-8",
      "2026-01-01T10:00:00.000Z",
    ]);
    expect(Buffer.from(stream!.reply.body).toString()).toBe(files.STREAM);
    expect(Buffer.from(first!.request.body).toString()).toContain("9007199254740993");
    expect(second!.key).toBe(first!.key);
  });
});

test("packed cassettes are found in folders; headers that a filter emptied are no content type", async () => {
  const cwd = aProject({
    "cassettes/a.yaml.gz": gzipSync(files.LANGCHAIN),
    "cassettes/b.tar.gz": gzipSync(""),
  });

  const { stdout } = await tapedeck(["import", "cassettes", "--json"], { cwd });

  const { reports } = JSON.parse(stdout) as Report;
  const recordings = await Promise.all(reports[0]!.imported.map(({ entry }) => read(cwd, entry)));
  expect(reports.length).toBe(1);
  expect(recordings.map(({ reply }) => reply.contentType)).toEqual(["application/json", "text/event-stream"]);
});

test("a packed file that is torn, or no text, is named with what is wrong", async () => {
  const cwd = aProject({
    "torn.yaml.gz": gzipSync(files.LANGCHAIN).subarray(0, 90),
    "bytes.yaml.gz": gzipSync(Uint8Array.of(0xff, 0xfe, 0xff)),
  });

  const { code, stderr } = await tapedeck(["import", "torn.yaml.gz", "bytes.yaml.gz"], { cwd });

  expect(code).toBe(1);
  expect(stderr).toContain("torn.yaml.gz cannot be read: unexpected end of file");
  expect(stderr).toContain("bytes.yaml.gz is not UTF-8 text");
});

function read(cwd: string, entry: string): Promise<Recording> {
  return createFolderStore(join(cwd, ".tapedeck")).read(entry);
}
