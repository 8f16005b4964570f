import { decodePercent } from "../base/wire/text.ts";
import type { Run } from "./call.ts";
import { ValuePool, type ValueKind } from "./value-pool.ts";

/** Longest report that is read. The hooks report the newest values if there are more. */
const MAX_LENGTH = 8_192;

const KINDS: Readonly<Record<string, ValueKind>> = {
  u: "uuid",
  r: "random",
  f: "temp folder",
  p: "port",
  i: "pid",
};

/**
 * Adds the values that a process made up since its last call to the pool of its run. The hooks report them in the attribution
 * header: `;v=` and items that are separated by commas, each a letter and percent-encoded text; that of a temporary folder is followed by `:` and
 * the part of its name that the program chose. Ignores other text, because
 * any local client can send the header.
 */
export function addReportedValues(header: string, run: Pick<Run, "values">): void {
  const [, report = ""] = /;v=([^;]*)/.exec(header) ?? [];
  if (report === "" || report.length > MAX_LENGTH) return;
  const pool = (run.values ??= new ValuePool());
  pool.addLater(() => addReport(report, pool), MADE.test(report));
}

/** An item other than the process id and the time zone, which are in the first report of every process. */
const MADE = /(?:^|,)[^iz,]/;

function addReport(report: string, pool: ValuePool): void {
  const drawn: string[] = [];
  for (const item of report.split(",")) {
    const [text = "", name = ""] = item.slice(1).split(":").map(decodePercent);
    const kind = KINDS[item.charAt(0)];
    if (kind !== undefined) pool.add(kind, text, name);
    else if (item.startsWith("b")) addBytes(text, pool);
    else if (item.startsWith("d")) pool.addDrawn(text);
    else if (item.startsWith("n")) addNanoidPool(text, pool);
    else if (item.startsWith("m")) drawn.push(text);
    else if (item.startsWith("z") && /^-?\d{1,3}$/.test(text)) pool.addZone(Number(text), name);
  }
  if (drawn.length > 0) addNumbers(drawn, pool);
}

/** The alphabet of nanoid: its ids have one of these characters for the lower six bits of each byte. */
const NANOID = "useandom-26T198340PX75pxJACKVERYMINDBUSHWOLF_GQZbfghjklqvwyzrict";
/** Longer random data fills a pool, from which libraries take the bytes of many ids. */
const LONGEST_ID = 64;
const UUID_BYTES = 16;

/** Adds the usual spellings of random bytes, which are reported as hexadecimal digits. */
function addBytes(hex: string, pool: ValuePool): void {
  if (!/^(?:[0-9a-f]{2})+$/.test(hex)) return;
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  for (let at = 0; at + UUID_BYTES <= bytes.length; at += UUID_BYTES)
    pool.add("uuid", uuidOf(bytes.slice(at, at + UUID_BYTES)));
  pool.addDrawn(Array.from(bytes, (byte) => NANOID.charAt(byte % NANOID.length)).join(""));
  if (bytes.length > LONGEST_ID) return;
  const base64 = btoa(String.fromCharCode(...bytes));
  pool.add("random", hex);
  pool.add("random", base64);
  pool.add("random", base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""));
  pool.add("random", base32Of(bytes));
}

/** Source: RFC 4648, section 6. Without padding. */
function base32Of(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => `${UPPER}234567`.charAt(Number.parseInt(five.padEnd(5, "0"), 2)))
    .join("");
}

/** Returns the UUID of version 4 that libraries make of 16 random bytes. Source: RFC 9562, section 5.4. */
function uuidOf(bytes: Uint8Array): string {
  const marked = bytes.map((byte, at) =>
    at === 6 ? (byte & 0x0f) | 0x40 : at === 8 ? (byte & 0x3f) | 0x80 : byte,
  );
  const hex = Array.from(marked, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** Returns the number from 0 to 1 that has these digits after the point, to the base 36. */
const fraction = (digits: string): number =>
  Number.parseInt(digits.slice(0, 10) || "0", 36) / 36 ** Math.min(digits.length || 1, 10);

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
/** Alphabets of ids that are drawn character by character with `Math.random`. */
const ALPHABETS = [
  "0123456789abcdef",
  DIGITS + LOWER,
  LOWER + DIGITS,
  UPPER + LOWER + DIGITS,
  LOWER + UPPER + DIGITS,
  DIGITS + UPPER + LOWER,
  DIGITS + LOWER + UPPER,
  NANOID,
];

/** Alphabets that programs give to nanoid. The last one has no characters that look alike. */
const CUSTOM_ALPHABETS = [
  DIGITS,
  "0123456789abcdef",
  DIGITS + LOWER,
  DIGITS + UPPER,
  DIGITS + UPPER + LOWER,
  "346789ABCDEFGHJKLMNPQRTUVWXYabcdefghijkmnpqrtwxy",
];

/**
 * Adds random bytes from which nanoid may take its ids, reported in its own alphabet. For another alphabet, it reads the bytes
 * from the last one on, takes the lower bits of each, and skips those beyond the alphabet.
 */
function addNanoidPool(text: string, pool: ValuePool): void {
  pool.addDrawn(text);
  const bytes = Array.from(text, (char) => NANOID.indexOf(char)).toReversed();
  for (const alphabet of CUSTOM_ALPHABETS) {
    const mask = 2 ** Math.ceil(Math.log2(alphabet.length)) - 1;
    pool.addDrawn(bytes.map((byte) => alphabet.charAt(byte & mask)).join(""));
  }
}

/** Adds the ids that programs make of the results of `Math.random`: the digits of each to the base 36, in the order of the calls. */
function addNumbers(drawn: readonly string[], pool: ValuePool): void {
  for (const digits of drawn) pool.addDrawn(digits);
  if (drawn.length < 6) return;
  const numbers = drawn.map(fraction);
  const texts = ALPHABETS.map((alphabet) =>
    numbers.map((number) => alphabet.charAt(number * alphabet.length)).join(""),
  );
  for (const text of texts) pool.addDrawn(text);
  const [digits = ""] = texts;
  // The widespread template "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx" takes 31 numbers.
  for (let at = 0; at + 31 <= digits.length; at += 1)
    pool.add("uuid", templateUuid(digits.slice(at, at + 31)));
}

function templateUuid(digits: string): string {
  const variant = ((Number.parseInt(digits.charAt(15), 16) & 3) | 8).toString(16);
  const end = variant + digits.slice(16, 19);
  return [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(12, 15)}`, end, digits.slice(19)].join(
    "-",
  );
}
