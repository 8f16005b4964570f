import type { Buffer } from "node:buffer";
import { joinBytes } from "../core/base/wire/text.ts";
import type { FileTree } from "../core/formats/import/tree.ts";

/** The first line of a trace. */
export const HTTPRR = /^httprr trace v1\n/;

/**
 * Reads a trace of Go's httprr (LangChainGo, ADK): before each call a line with the lengths of its request and response,
 * both as HTTP/1.1 sends them. Returns the calls like a cassette of VCR, or undefined if the trace is cut off.
 * Source: `internal/httprr/rr.go` of langchaingo, 2026-11.
 */
export function readHttprr(bytes: Buffer): FileTree | undefined {
  const interactions: FileTree[] = [];
  let at = bytes.indexOf("\n") + 1;
  while (at < bytes.length) {
    const start = bytes.indexOf("\n", at) + 1;
    const [, requestSize, responseSize] =
      /^(\d+) (\d+)\r?\n$/.exec(bytes.toString("latin1", at, start)) ?? [];
    const middle = start + Number(requestSize);
    const end = middle + Number(responseSize);
    if (!(end <= bytes.length)) return undefined;
    const request = readRequest(bytes.subarray(start, middle));
    interactions.push(object({ request, response: readReply(bytes.subarray(middle, end)) }));
    at = end;
  }
  return object({ interactions });
}

const object = (members: Readonly<Record<string, FileTree>>): FileTree => ({
  members: Object.entries(members),
});

function readRequest(wire: Buffer): FileTree {
  const { start, headers, body } = readMessage(wire);
  const [method = "", uri = ""] = start.split(" ");
  return object({ method, uri, headers, body: { bytes: body } });
}

function readReply(wire: Buffer): FileTree {
  const { start, headers, body } = readMessage(wire);
  const isChunked = headers.some((header) => /^transfer-encoding: *chunked$/i.test(header.join(": ")));
  return object({ status: start, headers, body: { bytes: isChunked ? joinChunks(body) : body } });
}

/** Reads a message. langchaingo has requests whose lines end with a line feed alone. */
function readMessage(wire: Buffer) {
  const [head = ""] = /^.*?\r?\n\r?\n/s.exec(wire.toString("latin1")) ?? [];
  const [start = "", ...lines] = head.trimEnd().split(/\r?\n/);
  const headers = lines.map((line) => /^([^:]*): *(.*)$/.exec(line)?.slice(1) ?? []);
  return { start, headers, body: wire.subarray(head.length) };
}

/** Joins the pieces of a chunked body. */
function joinChunks(body: Buffer): Uint8Array {
  const chunks: Buffer[] = [];
  let at = 0;
  while (at < body.length) {
    const start = body.indexOf("\r\n", at) + 2;
    const length = Number.parseInt(body.toString("latin1", at, start), 16);
    if (!(length > 0)) break;
    chunks.push(body.subarray(start, start + length));
    at = start + length + 2;
  }
  return joinBytes(chunks);
}
