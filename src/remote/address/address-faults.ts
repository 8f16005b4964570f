import { wrongUsage, type TapedeckError } from "../../core/errors.ts";

/** `why` is the end of a sentence, without a full stop. Nothing before an "@" is repeated. */
export function wrongAddress(address: string, why: string, hint: string): TapedeckError {
  const shown = address.replace(/^([^:]*:\/\/).*@/s, "$1…@");
  return wrongUsage(`"${shown}" cannot be a remote: ${why}.`, hint);
}

/** An address in its parts. @throws TapedeckError where it has none, or a parameter that is not among `known` */
export function partsOf(address: string, known: readonly string[]): URL {
  if (!URL.canParse(address)) throw wrongAddress(address, "it cannot be read", "Check its spelling.");
  const url = new URL(address);
  const forms = `After "?" it may have ${known.map((name) => `${name}=…`).join(", ")}.`;
  for (const name of url.searchParams.keys()) {
    if (!known.includes(name)) throw wrongAddress(address, `"${name}" is no parameter of it`, forms);
    if (url.searchParams.getAll(name).length > 1)
      throw wrongAddress(address, `"${name}" stands there twice`, forms);
  }
  if (url.hash !== "") throw wrongAddress(address, 'it has a "#"', 'Write "#" in a password as %23.');
  return url;
}

/** A percent-encoded part of an address as it is meant. */
export function decodedPart(address: string, part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw wrongAddress(address, 'a "%" in it is not followed by two hexadecimal digits', 'Write "%" as %25.');
  }
}

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };

/** `expire=30d` in seconds; undefined where it is not said. */
export function expiryOf(address: string, url: URL): number | undefined {
  const text = url.searchParams.get("expire");
  if (text === null) return undefined;
  const [, count = "", unit = ""] = /^([1-9][0-9]{0,4})([mhd])$/.exec(text) ?? [];
  const unitSeconds = UNITS[unit];
  if (unitSeconds === undefined)
    throw wrongAddress(
      address,
      `"${text}" is no time after which objects expire`,
      "Write expire=30d, 12h or 90m.",
    );
  return Number(count) * unitSeconds;
}

/** What keys begin with: only what every engine keeps as it is. */
export function prefixOf(address: string, text: string): string {
  if (
    /^[A-Za-z0-9._:/-]{0,200}$/.test(text) &&
    !text.split("/").some((part) => part === "." || part === "..")
  )
    return text;
  throw wrongAddress(
    address,
    `"${text}" cannot be a prefix`,
    'Use up to 200 letters, digits, ".", "_", ":", "-" and "/".',
  );
}
