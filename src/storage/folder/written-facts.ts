import { Buffer } from "node:buffer";
import { isText, isTexts, readFields, tryParsePlainJson } from "../../core/base/lenient.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { writeJson } from "../../core/base/json/json-tree.ts";
import type { SseEvent } from "../../core/base/wire/sse.ts";
import { chooseFraming } from "../../core/base/wire/framing.ts";
import type { TestRef } from "../../core/call/call.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import { findProtocol } from "../../core/match/read-request.ts";
import { findCountedEvents } from "../../core/protocol/base/counts.ts";
import type { CountedEvents, ReadReply } from "../../core/protocol/base/protocol.ts";
import type { ProviderTable } from "../../core/protocol/registry.ts";
import { findBilledUnit } from "../../core/view/prices/billed-units.ts";
import { collectFacts, type RecordingFacts } from "../../core/view/recording-facts.ts";
import { getErrorCode } from "./failures.ts";
import { readTextNow } from "./read-file.ts";
import { readRequestOnly } from "./recorded-request.ts";
import {
  writeEventText,
  findParts,
  listEventLines,
  readReplyBody,
  readReplyParts,
  type ReplyParts,
} from "./recording-reader.ts";

export { readFacts } from "../../core/view/recording-facts.ts";

/**
 * Reads facts as `readWrittenFacts` does, from the first of these folders that has the recording. Undefined also if it
 * cannot be read.
 */
export function readFactsIn(
  folders: readonly string[],
  address: RecordingAddress,
  providers: ProviderTable,
): RecordingFacts | undefined {
  for (const folder of folders) {
    try {
      const file = readTextNow(`${folder}/${address.entry}`);
      return file === undefined ? undefined : readWrittenFacts(file, address, providers);
    } catch (error) {
      if (getErrorCode(error) !== "ENOENT") return undefined;
    }
  }
  return undefined;
}

/**
 * Reads the facts of a file that is as `encodeRecording` writes it. Of a stream, only the events with its counts are read.
 * Undefined for any other file, and if all of its reply has to be read: `readFacts` reads these.
 */
function readWrittenFacts(
  text: string,
  address: RecordingAddress,
  providers: ProviderTable,
): RecordingFacts | undefined {
  const parts = findParts(text, address);
  const request = parts && readRequestOnly(text, address)?.readTree();
  if (parts === undefined || request?.body.kind !== "json") return undefined;
  const { operation, method, path } = request;
  const protocol = findProtocol({ ...request, request: { method, path, body: NO_BYTES } }, providers);
  const { counts } = protocol;
  if (counts === undefined || findBilledUnit(operation) !== undefined) return undefined;
  try {
    const { test } = readFields(
      JSON.parse(`{${text.slice(parts.headEnd, parts.request).replace(/,$/, "")}}`),
    );
    if (test !== undefined && !isTest(test)) return undefined;
    const reply = readReplyParts(text, parts.reply);
    const outline = reply && readOutline(reply, counts);
    if (reply === undefined || outline === undefined) return undefined;
    const { status } = reply.head;
    const requestBytes = Buffer.byteLength(writeJson(request.body.tree));
    return collectFacts({
      ...parts,
      ...pickDefined({ test }),
      status,
      bytes: [requestBytes, outline.bytes],
      protocol,
      readRequest: () => request,
      readCounts: () => counts.read(outline.reply, status),
    });
  } catch {
    return undefined;
  }
}

const NO_BYTES = new Uint8Array(0);

function isTest(value: unknown): value is TestRef {
  const { file, name } = readFields(value);
  return isText(file) && isTexts(name);
}

/** The size of a reply's body, and what has its counts. */
interface ReplyOutline {
  readonly bytes: number;
  readonly reply: ReadReply;
}

function readOutline(parts: ReplyParts, counted: CountedEvents): ReplyOutline | undefined {
  if (parts.form === "events") return outlineEvents(listEventLines(parts), counted);
  const body = readReplyBody(parts);
  const value = body === undefined ? undefined : tryParsePlainJson(body);
  const isWhole = value !== undefined && chooseFraming(parts.head.contentType) === undefined;
  return isWhole ? { bytes: Buffer.byteLength(body ?? ""), reply: { kind: "json", value } } : undefined;
}

/** An event as JSON, and its name. The number of its characters in the file is not that on the wire. */
const EVENT = /^\{(?:"event":"([^"\\]*)",)?"data":/;

/** In a line whose event may be written differently on the wire. */
const SPECIAL = /\\u|,"(?:pad|style)":/;

function outlineEvents(
  lines: readonly string[] | undefined,
  counts: CountedEvents,
): ReplyOutline | undefined {
  if (lines === undefined) return undefined;
  const counted = findCountedEvents(lines, counts);
  let bytes = 0;
  const events: SseEvent[] = [];
  for (const line of lines) {
    const prefix = EVENT.exec(line);
    const isPlain = prefix !== null && line.endsWith("}") && !SPECIAL.test(line);
    const isCounted = counted.has(line);
    const written = isPlain && !isCounted ? undefined : writeEventText(line);
    // A raw event may have its data in another spelling.
    if ((written === undefined && !isPlain) || line.startsWith('{"raw"')) return undefined;
    const [whole = "", event] = prefix ?? [];
    const name = event === undefined ? "" : `event: ${event}\n`;
    bytes += Buffer.byteLength(written ?? line);
    if (written === undefined) bytes += name.length + "data: \n\n".length - whole.length - 1;
    if (isCounted && prefix) events.push({ ...(event && { event }), data: line.slice(whole.length, -1) });
  }
  return { bytes, reply: { kind: "stream", events } };
}
