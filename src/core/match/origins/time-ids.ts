/**
 * Returns when an id was made that begins with a time, in milliseconds since the epoch: a UUID of version 1, 6, or 7, a ULID, a
 * CUID, a KSUID, an xid, or an object id of MongoDB. Undefined for other ids.
 */
export function readTimeOfId(id: string): number | undefined {
  const reader = READERS.get(id.length);
  return reader?.(id);
}

/** The length of the shortest id that begins with a time. */
export const SHORTEST_ID = 20;

const READERS: ReadonlyMap<number, (id: string) => number | undefined> = new Map([
  [36, timeOfUuid],
  [27, (id: string) => (/^[0-9A-Za-z]{27}$/.test(id) ? timeOfKsuid(id) : undefined)],
  [
    26,
    (id: string) =>
      /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i.test(id) ? fromCrockford(id.slice(0, 10).toUpperCase()) : undefined,
  ],
  [25, (id: string) => (/^c[a-z0-9]{24}$/.test(id) ? Number.parseInt(id.slice(1, 9), 36) : undefined)],
  [
    20,
    (id: string) =>
      /^[0-9a-v]{20}$/.test(id) ? Math.floor(Number.parseInt(id.slice(0, 7), 32) / 8) * 1_000 : undefined,
  ],
  [24, (id: string) => (/^[0-9a-f]{24}$/.test(id) ? Number.parseInt(id.slice(0, 8), 16) * 1_000 : undefined)],
]);

/** Milliseconds from the start of the Gregorian calendar, where UUIDs count from, to the epoch. Source: RFC 9562, section 5.1. */
const GREGORIAN = 12_219_292_800_000;
const TICKS_PER_MS = 10_000n;

function timeOfUuid(id: string): number | undefined {
  const [, low = "", middle = "", version = "", high = ""] =
    /^([0-9a-f]{8})-([0-9a-f]{4})-([167])([0-9a-f]{3})-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.exec(id) ?? [];
  if (version === "7") return Number.parseInt(low + middle, 16);
  if (version === "") return undefined;
  const ticks = version === "1" ? high + middle + low : low + middle + high;
  return Number(BigInt(`0x${ticks}`) / TICKS_PER_MS) - GREGORIAN;
}

/** Seconds of the epoch from which KSUIDs count. Source: segmentio/ksuid. */
const KSUID_EPOCH = 1_400_000_000;

function timeOfKsuid(id: string): number {
  let value = 0n;
  for (const char of id) value = value * 62n + BigInt(BASE62.indexOf(char));
  return (Number(value >> 128n) + KSUID_EPOCH) * 1_000;
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

const fromCrockford = (digits: string): number =>
  Array.from(digits).reduce((value, digit) => value * 32 + CROCKFORD.indexOf(digit), 0);
