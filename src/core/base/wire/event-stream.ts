import { localize } from "../localize.ts";
import type { Cutter } from "./cutter.ts";
import { decodeUtf8, encodeUtf8, joinBytes } from "./text.ts";

export interface EventHeader {
  readonly name: string;
  readonly value: string;
}

export interface EventMessage {
  /** The headers that are texts, as all of Bedrock's are. */
  readonly headers: readonly EventHeader[];
  /** Whether it also has headers of other types, so that it cannot be written again. */
  readonly hasOtherHeaders?: true;
  readonly payload: Uint8Array;
}

/**
 * Framing of a message: a prelude with total length, length of the headers, and the CRC of both; then headers, payload,
 * and the CRC of everything before it. Numbers are big-endian.
 * Source: docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html ("Event stream encoding") and
 * smithy.io/2.0/aws/amazon-eventstream.html, 2026-11.
 */
const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
const LEAST_BYTES = PRELUDE_BYTES + CRC_BYTES;
/** Maximum length by the Smithy specification (24 MiB). A larger one means that the bytes are not a message. */
const MOST_BYTES = 24 * 1_048_576 + LEAST_BYTES;

/**
 * Splits an event stream into its messages. After an invalid prelude, message boundaries are unknown: the rest is one
 * piece, which `readMessage` reports as a fault.
 */
export function createMessageCutter(): Cutter {
  let open: Uint8Array[] = [];
  let size = 0;
  /** Length of the current message in bytes; undefined until its prelude is complete. */
  let length: number | undefined;
  let lost = false;

  const rest = (): Uint8Array => {
    open = open.length > 1 ? [joinBytes(open)] : open;
    return open[0] ?? new Uint8Array(0);
  };
  return {
    push(bytes) {
      open.push(bytes);
      size += bytes.byteLength;
      const whole: Uint8Array[] = [];
      while (!lost && size >= (length ?? PRELUDE_BYTES)) {
        const all = rest();
        if (length === undefined) {
          const prelude = readPrelude(all);
          lost = typeof prelude === "string";
          if (typeof prelude !== "string") length = prelude.total;
        } else {
          whole.push(all.subarray(0, length));
          open = size > length ? [all.subarray(length)] : [];
          size -= length;
          length = undefined;
        }
      }
      return whole;
    },
    rest,
  };
}

/** Reads a message and verifies both checksums; returns the fault as text if it is invalid. */
export function readMessage(bytes: Uint8Array): EventMessage | string {
  const prelude = readPrelude(bytes);
  if (typeof prelude === "string") return prelude;
  const { total, headersLength } = prelude;
  if (bytes.byteLength < total) return localize("it ends after {0} of {1} bytes", bytes.byteLength, total);
  if (bytes.byteLength > total) return localize("{0} bytes follow it", bytes.byteLength - total);
  const end = total - CRC_BYTES;
  if (crc32(bytes.subarray(0, end)) !== viewOf(bytes).getUint32(end))
    return localize("its checksum does not match");
  const payloadStart = PRELUDE_BYTES + headersLength;
  const headers = readHeaders(bytes.subarray(PRELUDE_BYTES, payloadStart));
  return typeof headers === "string" ? headers : { ...headers, payload: bytes.subarray(payloadStart, end) };
}

/** Wire types of header values whose length precedes them. */
const [BYTES, STRING] = [6, 7];
/** Bytes of other values by wire type: true, false, numbers of 8 to 64 bits, times, and UUIDs. */
const SIZES: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];

/** Reads the headers; returns the fault as text if they are invalid. */
function readHeaders(bytes: Uint8Array): Omit<EventMessage, "payload"> | string {
  const headers: EventHeader[] = [];
  let hasOthers = false;
  for (let at = 0; at < bytes.byteLength;) {
    const typeAt = at + 1 + (bytes[at] ?? 0);
    const name = decodeUtf8(bytes.subarray(at + 1, typeAt));
    if (name === undefined || name === "") return localize("a header has no name");
    const type = bytes[typeAt] ?? STRING;
    const isSized = type === BYTES || type === STRING;
    const start = typeAt + (isSized ? 3 : 1);
    const size = isSized ? ((bytes[typeAt + 1] ?? 0) << 8) | (bytes[typeAt + 2] ?? 0) : SIZES[type];
    at = start + (size ?? 0);
    if (at > bytes.byteLength) return localize("its headers exceed their length");
    const value = type === STRING ? decodeUtf8(bytes.subarray(start, at)) : undefined;
    if (size === undefined || (type === STRING && value === undefined))
      return localize("the value of the header {0} cannot be read", JSON.stringify(name));
    if (value === undefined) hasOthers = true;
    else headers.push({ name, value });
  }
  return { headers, ...(hasOthers && { hasOtherHeaders: true }) };
}

function writeHeaders(headers: readonly EventHeader[]): Uint8Array {
  return joinBytes(
    headers.flatMap(({ name, value }) => {
      const [title, text] = [encodeUtf8(name), encodeUtf8(value)];
      const size = text.byteLength;
      if (title.byteLength > 0xff || size > 0xffff)
        throw new RangeError("a header is too long for an event stream");
      return [Uint8Array.of(title.byteLength), title, Uint8Array.of(STRING, size >> 8, size & 0xff), text];
    }),
  );
}

/** Writes a message. @throws RangeError for headers that do not fit */
export function writeMessage({ headers, payload }: EventMessage): Uint8Array {
  const head = writeHeaders(headers);
  const total = LEAST_BYTES + head.byteLength + payload.byteLength;
  if (total > MOST_BYTES) throw new RangeError("a message is too long for an event stream");
  const message = new Uint8Array(total);
  const view = viewOf(message);
  view.setUint32(0, total);
  view.setUint32(4, head.byteLength);
  view.setUint32(8, crc32(message.subarray(0, 8)));
  message.set(head, PRELUDE_BYTES);
  message.set(payload, PRELUDE_BYTES + head.byteLength);
  view.setUint32(total - CRC_BYTES, crc32(message.subarray(0, total - CRC_BYTES)));
  return message;
}

/** Returns the text of a header; undefined if it is missing or has another type. */
export function getHeaderText({ headers }: EventMessage, name: string): string | undefined {
  return headers.find((header) => header.name === name)?.value;
}

function readPrelude(bytes: Uint8Array): { readonly total: number; readonly headersLength: number } | string {
  if (bytes.byteLength < PRELUDE_BYTES) return localize("it ends after {0} bytes", bytes.byteLength);
  const view = viewOf(bytes);
  if (crc32(bytes.subarray(0, 8)) !== view.getUint32(8))
    return localize("the checksum of its prelude does not match");
  const [total, headersLength] = [view.getUint32(0), view.getUint32(4)];
  if (total < LEAST_BYTES || total > MOST_BYTES) return localize("its length cannot be {0}", total);
  if (headersLength > total - LEAST_BYTES)
    return localize("its headers' length cannot be {0}", headersLength);
  return { total, headersLength };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Computes the CRC-32 of gzip and AWS event streams: reflected, polynomial 0xEDB88320 (RFC 1952, section 8). */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let entry = index;
  for (let bit = 0; bit < 8; bit += 1) entry = entry & 1 ? (entry >>> 1) ^ 0xedb88320 : entry >>> 1;
  return entry;
});
