import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, test } from "vitest";
import { decodeText } from "../../../src/core/base/wire/text.ts";
import { ACCENTED, ADDRESS, ANSWERED, ASKED, recorderFile, STREAM } from "../../support/other-recorders.ts";
import { anArchive, anInteraction, importFiles, importIn } from "../imports.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

const whole = JSON.stringify(ANSWERED);

type Case = readonly [
  format: string,
  name: string,
  /** Undefined for the file of this name in `test/fixtures/recorders`. */
  content: string | Uint8Array | object | undefined,
  /** Parts of the replies, in the order of the calls. */
  replies: readonly string[],
  /** The reasons why calls are skipped. */
  skipped: readonly string[],
];

const ODD_BODY = {
  request: { url: ADDRESS, body: ASKED },
  reply: { status: 200, body: "e30=", isBase64Encoded: true },
};
const NO_PROVIDER = {
  request: { method: "POST", url: "/v1/chat/completions" },
  response: { status: 200 },
};
const WIREMOCK = {
  request: { method: "POST", url: "/v1/chat/completions", bodyPatterns: [{ equalToJson: whole }] },
  response: { status: 200, body: whole },
};
const UNKNOWN_ENCODINGS = [
  'encoding "rot13"',
  'encoding "UTF-16LE"',
  'field "base64_encoded"',
  'field "body_encoding"',
];
const UNLIKE_CALLS = ["WebSocket", "was aborted", "not a call", "body is not in the file"];
const UNLIKE_LINES = ["is not JSON", "does not have a request and a reply"];
const PATTERNS = ["by a pattern", "by a pattern", "by a pattern"];

const chunkOf = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const CHUNKS = [STREAM.slice(0, 50), STREAM.slice(50), ""].map(chunkOf).join("");

/** A trace of httprr: a reply with its length, and a stream in two chunks. */
function aTrace(lineEnd = "\r\n"): string {
  const request = [`POST ${ADDRESS} HTTP/1.1`, "Content-Type: application/json", "", JSON.stringify(ASKED)];
  const json = ["HTTP/1.1 200 OK", "Content-Type: application/json", "", whole];
  const stream = [
    "HTTP/2.0 200 OK",
    "Content-Type: text/event-stream",
    "Transfer-Encoding: chunked",
    "",
    CHUNKS,
  ];
  const calls = [json, stream].map((reply) => [request.join(lineEnd), reply.join("\r\n")]);
  const lines = calls.map((messages) => `${messages.map((one) => Buffer.byteLength(one)).join(" ")}\n`);
  return `httprr trace v1\n${calls.map((messages, at) => lines[at] + messages.join("")).join("")}`;
}
/** PyYAML takes quoted texts whose lines are not indented. */
const UNINDENTED = `interactions:
- request:
    method: POST
    uri: ${ADDRESS}
    body: '${JSON.stringify(ASKED, undefined, 2)}'
  response:
    status: {code: 200}
    headers: {content-type: [application/json]}
    body:
      string: '{"id": "chatcmpl-1",
    "object": "chat.completion", ${whole.slice(whole.indexOf('"created"'))}'
`;
const BY_DATADOG = {
  request: { method: "POST", url: ADDRESS, headers: {}, body: JSON.stringify(ASKED) },
  response: {
    status: { code: 200, message: "OK" },
    headers: { "Content-Type": "application/json" },
    body: `base64:${Buffer.from(whole).toString("base64")}`,
  },
};

const packed = gzipSync(recorderFile("chain.yaml"));
const cases: readonly Case[] = [
  ["vcr", "python.yaml", undefined, [whole, STREAM], []],
  ["vcr", "httpx.yaml", undefined, [whole, STREAM], []],
  ["vcr", "chain.yaml", undefined, [whole, STREAM], []],
  ["vcr", "chain.yaml.gz", packed, [whole, STREAM], []],
  ["vcr", "parsed.yaml", undefined, ['"Hi"', '"Hello"'], ["WebSocket", "gRPC", "status 429"]],
  ["vcr", "unindented.yaml", UNINDENTED, ['"chatcmpl-1", "object"'], []],
  ["vcr", "ruby.yml", undefined, [whole, whole], []],
  ["vcr", "old-ruby.yml", undefined, [whole], []],
  ["vcr", "go-1.yaml", undefined, [whole], ["status 500"]],
  ["vcr", "go-4.yaml", undefined, [whole], []],
  ["vcr", "betamax.json", undefined, [ACCENTED, whole], []],
  ["vcr", "odd-bodies.json", undefined, [], UNKNOWN_ENCODINGS],
  ["vcr", "TestChat.httprr", aTrace(), [whole, STREAM], []],
  ["vcr", "TestLines.httprr", aTrace("\n"), [whole, STREAM], []],
  ["vcr", "TestChat.httprr.gz", gzipSync(aTrace()), [whole, STREAM], []],
  ["jsonl", "datadog.json", BY_DATADOG, [whole], []],
  ["jsonl", "odd-bodies.jsonl", ODD_BODY, [], ['field "isBase64Encoded"']],
  ["vcr", "merged.yaml", undefined, [whole, whole], []],
  ["har", "chat.har", undefined, [whole], UNLIKE_CALLS],
  ["polly", "recording.har", undefined, [whole], []],
  ["nock", "nock.json", undefined, [whole, whole, whole], PATTERNS],
  ["charles", "session.chlsj", undefined, [whole, ACCENTED], ["is a tunnel", 'field "compressed"']],
  [
    "postman",
    "postman.json",
    undefined,
    [whole, ACCENTED],
    ["body is not in the file", 'invalid address "{{other}}/chat"'],
  ],
  ["jsonl", "calls.jsonl", undefined, [whole, whole, STREAM], UNLIKE_LINES],
  ["jsonl", "wiremock.json", WIREMOCK, [], ["matches its body by a pattern"]],
  ["jsonl", "mapping.json", NO_PROVIDER, [], ['without a provider: add the whole address as "url"']],
];

describe("import takes", () => {
  it.each(cases)(
    "%s of %s by its content, and lists what it skips",
    async (format, name, content, ...[replies, reasons]) => {
      const { code, reports, recordings, skipped } = await importFiles({
        [name]: content ?? recorderFile(name),
      });

      expect(code).toBe(replies.length > 0 ? 0 : 1);
      expect(reports.map((report) => report.format)).toEqual([format]);
      expect(skipped).toEqual(reasons.map((reason) => expect.stringContaining(reason)));
      expect(recordings.map(({ reply }) => decodeText(reply.body))).toEqual(
        replies.map((reply) => expect.stringContaining(reply)),
      );
      expect(recordings.filter(({ operation }) => !operation.startsWith("chat"))).toEqual([]);
      expect(recordings.filter(({ request }) => request.method !== "POST")).toEqual([]);
    },
  );

  it("bodies byte for byte: decompressed, streams with the bounds of their events, big numbers with their digits", async () => {
    const { recordings } = await importFiles({
      "python.yaml": recorderFile("python.yaml"),
      "parsed.yaml": recorderFile("parsed.yaml"),
    });

    const [json, stream, first, second] = recordings;
    expect(decodeText(json!.reply.body)).toBe(whole);
    expect([json!.reply.contentType, json!.recordedAt]).toEqual([
      "application/json; charset=utf-8",
      "2026-01-01T10:00:00.000Z",
    ]);
    expect(decodeText(stream!.reply.body)).toBe(STREAM);
    expect(decodeText(first!.request.body)).toContain("9007199254740993");
    expect(second!.key).toBe(first!.key);
  });
});

test("packed cassettes are found in folders; headers that a filter emptied are no content type", async () => {
  const cwd = aProject({
    "cassettes/a.yaml.gz": packed,
    "cassettes/b.tar.gz": gzipSync(""),
  });

  const { reports, recordings } = await importIn(cwd, "cassettes");

  expect(reports.length).toBe(1);
  expect(recordings.map(({ reply }) => reply.contentType)).toEqual(["application/json", "text/event-stream"]);
});

test.each<[name: string, content: string | object, reason: string]>([
  ["cut.httprr", aTrace().slice(0, -20), "is an httprr trace that is cut off"],
  ["cache.db", Buffer.from("SQLite format 3\0\u00ff", "latin1"), "is not UTF-8 text: export an HTTP archive"],
  ["flows", "1200:9:websocket;0:~8:response;", "mitmdump -nr FLOWS --set hardump=calls.har"],
  [
    "aimock.json",
    { fixtures: [{ match: { userMessage: "Hi" }, response: { content: "Hi" } }] },
    "contains no recordings in a known format",
  ],
  [
    "mockserver.json",
    [{ httpRequest: { path: "/" }, httpResponse: { body: "" } }],
    "contains no recordings in a known format",
  ],
  [
    "hoverfly.json",
    { data: { pairs: [] }, meta: { schemaVersion: "v5.2" } },
    "contains no recordings in a known format",
  ],
  [
    "insomnia.json",
    { _type: "export", __export_format: 4, resources: [] },
    "export an HTTP archive (.har) from its tool",
  ],
  [
    "insomnia.yaml",
    "type: collection.insomnia.rest/5.0\ncollection: []\n",
    "export an HTTP archive (.har) from its tool",
  ],
  ["session.saz", "PK\u0003\u0004", "is a zip archive: unpack it first, or export an HTTP archive"],
  [
    "mappings.json",
    { mappings: [{ request: {}, response: {} }] },
    "contains no recordings in a known format",
  ],
])("%s is named with the reason why it cannot be imported", async (name, content, reason) => {
  const isText = typeof content === "string" || Buffer.isBuffer(content);
  const cwd = aProject({ [name]: isText ? content : JSON.stringify(content) });

  const { code, stderr } = await tapedeck(["import", name], { cwd });

  expect(code).toBe(1);
  expect(stderr).toContain(reason);
});

test("a YAML file that the reader has no memory for is refused", async () => {
  const cwd = aProject({ "a.yaml": `interactions:\n# ${"x".repeat(67_108_864)}` });

  const { code, stderr } = await tapedeck(["import", "a.yaml"], { cwd });

  expect([code, stderr]).toEqual([1, expect.stringContaining("import an HTTP archive (.har)")]);
});

test("a packed file that is torn, or no text, is named with what is wrong", async () => {
  const cwd = aProject({
    "torn.yaml.gz": packed.subarray(0, 90),
    "bytes.yaml.gz": gzipSync(Uint8Array.of(0xff, 0xfe, 0xff)),
  });

  const { code, stderr } = await tapedeck(["import", "torn.yaml.gz", "bytes.yaml.gz"], { cwd });

  expect(code).toBe(1);
  expect(stderr).toContain("torn.yaml.gz cannot be read: unexpected end of file");
  expect(stderr).toContain("bytes.yaml.gz is not UTF-8 text");
});

const FORM = "multipart/form-data; boundary=b";
const SENT = Buffer.from(
  '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n\u00ff\u0080\r\n--b--\r\n',
  "latin1",
);

/** A call with a file, as an HTTP archive has it. */
const archived = (text: string, headers: Readonly<Record<string, string>>) =>
  anArchive([{ url: OWN, asked: text, headers: { "content-type": FORM, ...headers } }]);

const OWN = "https://own.example/v1/files";
const LENGTH = { "content-length": String(SENT.byteLength) };
const BY_NOCK = [
  {
    scope: "https://own.example:443",
    method: "POST",
    path: "/v1/files",
    body: SENT.toString("hex"),
    status: 200,
    response: {},
    reqheaders: { "content-type": FORM },
  },
];

test.each([
  ["nock, as hexadecimal", BY_NOCK],
  ["mitmproxy, as characters of ISO-8859-1", archived(SENT.toString("latin1"), LENGTH)],
])("a request body that is not text is imported as %s", async (_, file) => {
  const { recordings } = await importFiles({ "a.json": file }, "--upstream", "own=https://own.example");

  expect(recordings.map(({ request }) => Buffer.from(request.body).toString("hex"))).toEqual([
    SENT.toString("hex"),
  ]);
});

test("a form whose file the browser replaced in its archive is skipped", async () => {
  const files = { "a.har": archived(SENT.toString("utf8"), {}) };

  const { skipped } = await importFiles(files, "--upstream", "own=https://own.example");

  expect(skipped).toEqual([expect.stringContaining("whose body is not in the file")]);
});

test("events that Chromium wrote as windows-1252 are imported as they were sent", async () => {
  const misread = STREAM.replace("Hi", "GrÃ¼ÃŸe â€“ â‚¬ ðŸ‘‹");
  const asked = { ...ASKED, stream: true };
  const archive = anArchive([
    { asked, answered: misread, replyHeaders: { "content-type": "text/event-stream" } },
  ]);

  const { recordings } = await importFiles({ "a.har": archive });

  expect(recordings.map(({ reply }) => decodeText(reply.body))).toEqual([
    STREAM.replace("Hi", "Grüße – € 👋"),
  ]);
});

test("the call to a host with a placeholder is imported, or its address is shown", async () => {
  const file = (url: string) => ({ http_interactions: [anInteraction({ url })] });

  const { recordings, skipped } = await importFiles({
    "known.json": file("https://<ACCOUNT>.openai.azure.com/openai/v1/chat/completions"),
    "unknown.json": file("https://<MY_HOST>.example/v1/chat/completions"),
    "none.json": file("<API_BASE>/chat/completions?key=hidden"),
  });

  expect(recordings.map(({ provider }) => provider)).toEqual(["azure"]);
  expect(skipped).toEqual([
    expect.stringContaining("--upstream my-host.example=https://my-host.example"),
    'has the invalid address "<API_BASE>/chat/completions"',
  ]);
});

describe("an archive of Playwright with bodies in files beside it", () => {
  /** The entry of a call whose reply is in this file. */
  function attached(file: string): object {
    const { log } = anArchive([{}], "Playwright");
    const [entry] = log.entries as unknown as { response: { content: object } }[];
    const content = { size: -1, mimeType: "application/json", _file: file };
    return { ...entry, response: { ...entry?.response, content } };
  }
  const archiveOf = (...files: string[]): object => ({ log: { entries: files.map(attached) } });

  it("is imported with these bodies", async () => {
    const cwd = aProject({ "har/a.har": JSON.stringify(archiveOf("0a1b.json")), "har/0a1b.json": whole });

    const { recordings, skipped } = await importIn(cwd, "har/a.har");

    expect(recordings.map(({ reply }) => Buffer.from(reply.body).toString())).toEqual([whole]);
    expect(skipped).toEqual([]);
  });

  it("does not import other files, and names a missing one", async () => {
    const files = ["../answer.json", join(aProject(), "answer.json"), ".env", "link.json", "gone.json"];
    const cwd = aProject({ "har/a.har": JSON.stringify(archiveOf(...files)), "answer.json": whole });
    writeFileSync(join(cwd, "har/.env"), whole);
    symlinkSync(join(cwd, "answer.json"), join(cwd, "har/link.json"));

    const { recordings, skipped } = await importIn(cwd, "har/a.har");

    expect(recordings).toEqual([]);
    expect(skipped).toEqual(
      files.map((file) =>
        expect.stringContaining(`keeps a body in the file "${file}", which cannot be read`),
      ),
    );
  });
});

test.each(["utf-16le", "utf-16be"])("a file in %s with its mark is imported", async (encoding) => {
  const bytes = Buffer.from(`\ufeff${JSON.stringify(anArchive([{}]))}`, "utf16le");

  const { recordings } = await importFiles({ "a.har": encoding === "utf-16le" ? bytes : bytes.swap16() });

  expect(recordings.map(({ reply }) => Buffer.from(reply.body).toString())).toEqual([whole]);
});
