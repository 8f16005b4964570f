import { Buffer } from "node:buffer";
import type { Stats } from "node:fs";
import { isText, isTexts, readFields, tryParsePlainJson } from "../../core/base/lenient.ts";
import { createJsonTree } from "../../core/base/json/json-tree.ts";
import type { SseEvent } from "../../core/base/wire/sse.ts";
import { chooseFraming } from "../../core/base/wire/framing.ts";
import { endOfString } from "../../core/base/wire/text.ts";
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

/** The facts of a file, if they can be read from its text. */
export interface FactsInFile {
  readonly stats: Stats;
  readonly facts: RecordingFacts | undefined;
}

/** Reads facts as `readWrittenFacts` does, from the first of these folders that has the recording. Undefined if none can be read. */
export function readFactsIn(
  folders: readonly string[],
  address: RecordingAddress,
  providers: ProviderTable,
): FactsInFile | undefined {
  for (const folder of folders) {
    try {
      const { text, stats } = readTextNow(`${folder}/${address.entry}`);
      return { stats, facts: text === undefined ? undefined : readWrittenFacts(text, address, providers) };
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
  const written = parts && readRequestOnly(text, address, parts);
  if (parts === undefined || written === undefined) return undefined;
  const { provider, operation, method, path, body, bodyText } = written;
  const protocol = findProtocol(
    { provider, operation, request: { method, path, body: NO_BYTES } },
    providers,
  );
  const { counts } = protocol;
  if (counts === undefined || findBilledUnit(operation) !== undefined) return undefined;
  try {
    const others = text.slice(parts.headEnd, parts.request);
    const { test } = others === "" ? {} : readFields(JSON.parse(`{${others.replace(/,$/, "")}}`));
    if (test !== undefined && !isTest(test)) return undefined;
    const reply = readReplyParts(text, parts.reply);
    const outline = reply && readOutline(reply, counts);
    const requestBytes = countPlainBytes(bodyText);
    if (reply === undefined || outline === undefined || requestBytes === undefined) return undefined;
    const { status } = reply.head;
    const { recordedAt, model } = parts;
    return collectFacts({
      operation,
      recordedAt,
      model,
      test,
      status,
      bytes: [requestBytes, outline.bytes],
      protocol,
      readRequest: () => ({
        provider,
        method,
        path,
        body: { kind: "json", tree: createJsonTree(body.json) },
      }),
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
  const { form, text, style, head } = parts;
  if (form === "events") return outlineEvents(listEventLines(parts), counted);
  if (chooseFraming(head.contentType) !== undefined) return undefined;
  const body = form === "text" || style !== undefined ? readReplyBody(parts) : text;
  if (body === undefined) return undefined;
  const bytes = body === text ? countPlainBytes(text) : Buffer.byteLength(body);
  const value = tryParsePlainJson(body);
  return bytes === undefined || value === undefined ? undefined : { bytes, reply: { kind: "json", value } };
}

/** Returns the bytes of JSON without blanks between its values. Undefined if it may have escapes that are not sent. */
function countPlainBytes(json: string): number | undefined {
  if (/\\[u/]/.test(json)) return undefined;
  let blanks = 0;
  for (let at = 0; at < json.length; at += 1) {
    const unit = json.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(json, at) - 1;
    else if (unit <= SPACE) blanks += 1;
  }
  return Buffer.byteLength(json) - blanks;
}

const [SPACE, QUOTE] = [32, 34];

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
