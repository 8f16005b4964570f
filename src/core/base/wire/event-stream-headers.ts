import { localize } from "../localize.ts";
import { encodeUtf8, joinBytes, decodeUtf8 } from "./text.ts";

/**
 * The value of a header in an AWS event stream, by its wire type. Most are strings. Types without a JSON form are
 * stored as text: 64-bit numbers and times in decimal (times in milliseconds since the epoch), bytes and UUIDs in
 * lowercase hex.
 */
export type HeaderValue =
  | string
  | boolean
  | { readonly type: "byte" | "short" | "int"; readonly value: number }
  | { readonly type: "long" | "timestamp" | "bytes" | "uuid"; readonly value: string };

export interface EventHeader {
  readonly name: string;
  readonly value: HeaderValue;
}

const TYPES = [
  "true",
  "false",
  "byte",
  "short",
  "int",
  "long",
  "bytes",
  "string",
  "timestamp",
  "uuid",
] as const;
const STRING = 7;
const UUID_BYTES = 16;

/** Reads the headers; returns the fault as text if they are invalid. */
export function readHeaders(bytes: Uint8Array): readonly EventHeader[] | string {
  const headers: EventHeader[] = [];
  const reader = createReader(bytes);
  while (reader.left() > 0) {
    const name = reader.text(reader.number(1));
    const value = readValue(reader.number(1), reader);
    if (name === undefined || name === "") return localize("a header has no name");
    if (value === undefined)
      return localize("the value of the header {0} cannot be read", JSON.stringify(name));
    headers.push({ name, value });
  }
  return reader.left() < 0 ? localize("its headers exceed their length") : headers;
}

/** Writes headers. @throws RangeError for a name or value that is too long, or a number that does not fit its type */
export function writeHeaders(headers: readonly EventHeader[]): Uint8Array {
  return joinBytes(
    headers.flatMap(({ name, value }) => {
      const text = encodeUtf8(name);
      return [number(text.byteLength, 1), text, ...writeValue(value)];
    }),
  );
}

type Reader = ReturnType<typeof createReader>;

/** Reads past the end return undefined, and `left` is negative from then on. */
function createReader(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (count: number): number | undefined => {
    const start = at;
    at += count;
    return at > bytes.byteLength ? undefined : start;
  };
  return {
    left: () => bytes.byteLength - at,
    /** Reads an unsigned number. */
    number(size: 1 | 2): number {
      const start = take(size);
      if (start === undefined) return 0;
      return size === 1 ? view.getUint8(start) : view.getUint16(start);
    },
    signed(size: 1 | 2 | 4): number | undefined {
      const start = take(size);
      if (start === undefined) return undefined;
      if (size === 1) return view.getInt8(start);
      return size === 2 ? view.getInt16(start) : view.getInt32(start);
    },
    long(): string | undefined {
      const start = take(8);
      return start === undefined ? undefined : String(view.getBigInt64(start));
    },
    hex(size: number): string | undefined {
      const start = take(size);
      if (start === undefined) return undefined;
      return [...bytes.subarray(start, start + size)]
        .map((one) => one.toString(16).padStart(2, "0"))
        .join("");
    },
    text(size: number): string | undefined {
      const start = take(size);
      return start === undefined ? undefined : decodeUtf8(bytes.subarray(start, start + size));
    },
  };
}

const readValue = (type: number, reader: Reader): HeaderValue | undefined => READERS[type]?.(reader);

/** Readers by wire type. */
const READERS: readonly ((reader: Reader) => HeaderValue | undefined)[] = [
  () => true,
  () => false,
  (reader) => numberValue("byte", reader.signed(1)),
  (reader) => numberValue("short", reader.signed(2)),
  (reader) => numberValue("int", reader.signed(4)),
  (reader) => textValue("long", reader.long()),
  (reader) => textValue("bytes", reader.hex(reader.number(2))),
  (reader) => reader.text(reader.number(2)),
  (reader) => textValue("timestamp", reader.long()),
  (reader) => textValue("uuid", reader.hex(UUID_BYTES)),
];

function numberValue(type: "byte" | "short" | "int", value: number | undefined): HeaderValue | undefined {
  return value === undefined ? undefined : { type, value };
}

function textValue(
  type: "long" | "timestamp" | "bytes" | "uuid",
  value: string | undefined,
): HeaderValue | undefined {
  return value === undefined ? undefined : { type, value };
}

function writeValue(value: HeaderValue): Uint8Array[] {
  if (typeof value === "boolean") return [number(value ? 0 : 1, 1)];
  if (typeof value === "string") {
    const text = encodeUtf8(value);
    return [number(STRING, 1), number(text.byteLength, 2), text];
  }
  return [number(TYPES.indexOf(value.type), 1), ...WRITERS[value.type](String(value.value))];
}

const WRITERS: Readonly<
  Record<Exclude<HeaderValue, string | boolean>["type"], (value: string) => Uint8Array[]>
> = {
  byte: (value) => [signedBytes(Number(value), 1)],
  short: (value) => [signedBytes(Number(value), 2)],
  int: (value) => [signedBytes(Number(value), 4)],
  long: (value) => [long(value)],
  timestamp: (value) => [long(value)],
  uuid: (value) => [fromHex(value, UUID_BYTES)],
  bytes: (value) => {
    const bytes = fromHex(value, value.length / 2);
    return [number(bytes.byteLength, 2), bytes];
  },
};

function number(value: number, size: 1 | 2): Uint8Array {
  if (value >= 2 ** (8 * size)) throw new RangeError("a header is too long for an event stream");
  return size === 1 ? Uint8Array.of(value) : Uint8Array.of(value >> 8, value & 0xff);
}

function signedBytes(value: number, size: 1 | 2 | 4): Uint8Array {
  const bits = 8 * size;
  if (!Number.isInteger(value) || value < -(2 ** (bits - 1)) || value >= 2 ** (bits - 1))
    throw new RangeError(`${value} is not a whole number of ${bits} bits`);
  return bigBytes(BigInt(value), size);
}

function long(value: string): Uint8Array {
  if (!/^-?\d{1,19}$/.test(value) || BigInt.asIntN(64, BigInt(value)) !== BigInt(value))
    throw new RangeError(`${value} is not a whole number of 64 bits`);
  return bigBytes(BigInt(value), 8);
}

function bigBytes(value: bigint, size: number): Uint8Array {
  const all = new Uint8Array(8);
  new DataView(all.buffer).setBigInt64(0, value);
  return all.subarray(8 - size);
}

function fromHex(value: string, size: number): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/.test(value) || value.length !== size * 2)
    throw new RangeError(`a value is not ${size} bytes in lower-case hex`);
  return Uint8Array.from({ length: size }, (_, at) => Number.parseInt(value.slice(at * 2, at * 2 + 2), 16));
}
