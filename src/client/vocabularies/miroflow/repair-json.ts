/**
 * Reads what a model meant as JSON: single quotes, Python's True, False and None, trailing or missing commas, names
 * without quotes, backslashes that begin no escape, raw line breaks in texts, and ends that are missing.
 * Undefined where the text begins with nothing of the kind, or where more than blanks follows the value.
 */
export function repairJson(text: string): unknown {
  const reader: Reader = { text, at: 0, depth: 0 };
  skipBlanks(reader);
  const first = reader.text[reader.at];
  if (first !== "{" && first !== "[") return undefined;
  const value = readValue(reader);
  skipBlanks(reader);
  return value === FAILED || reader.at < text.length ? undefined : value;
}

const FAILED = Symbol("no value");
const MAX_DEPTH = 512;

interface Reader {
  readonly text: string;
  at: number;
  depth: number;
}

function readValue(reader: Reader): unknown {
  const first = reader.text[reader.at];
  if (first === "{" || first === "[") {
    if (reader.depth === MAX_DEPTH) return FAILED;
    reader.depth += 1;
    const value = first === "{" ? readObject(reader) : readArray(reader);
    reader.depth -= 1;
    return value;
  }
  if (first === '"' || first === "'") return readText(reader, first);
  return readWord(reader);
}

function readObject(reader: Reader): unknown {
  const members: [string, unknown][] = [];
  reader.at += 1;
  for (;;) {
    skipBlanks(reader, ",");
    const first = reader.text[reader.at];
    if (first === undefined) break;
    if (first === "}") {
      reader.at += 1;
      break;
    }
    const name = first === '"' || first === "'" ? readText(reader, first) : readName(reader);
    skipBlanks(reader);
    if (name === "" && reader.text[reader.at] !== ":") return FAILED;
    if (reader.text[reader.at] !== ":")
      return reader.at >= reader.text.length ? Object.fromEntries(members) : FAILED;
    reader.at += 1;
    skipBlanks(reader);
    if (reader.at >= reader.text.length) break;
    const value = readValue(reader);
    if (value === FAILED) return FAILED;
    members.push([name, value]);
  }
  return Object.fromEntries(members);
}

function readArray(reader: Reader): unknown {
  const elements: unknown[] = [];
  reader.at += 1;
  for (;;) {
    skipBlanks(reader, ",");
    const first = reader.text[reader.at];
    if (first === undefined) return elements;
    if (first === "]") {
      reader.at += 1;
      return elements;
    }
    const value = readValue(reader);
    if (value === FAILED) return FAILED;
    elements.push(value);
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  "/": "/",
  "\\": "\\",
};

/** A text up to its quote; a quote counts as the end only where a value can end. */
function readText(reader: Reader, quote: string): string {
  const { text } = reader;
  let value = "";
  for (reader.at += 1; reader.at < text.length; reader.at += 1) {
    const unit = text.charAt(reader.at);
    if (unit === quote && /^\s*(?:[,:}\]]|$)/.test(text.slice(reader.at + 1, reader.at + 200))) {
      reader.at += 1;
      return value;
    }
    if (unit !== "\\") {
      value += unit;
      continue;
    }
    const next = text.charAt(reader.at + 1);
    const digits = /^u([0-9a-fA-F]{4})/.exec(text.slice(reader.at + 1, reader.at + 6))?.[1];
    if (digits !== undefined) {
      value += String.fromCharCode(Number.parseInt(digits, 16));
      reader.at += 5;
    } else if (next === '"' || next === "'" || ESCAPES[next] !== undefined) {
      value += ESCAPES[next] ?? next;
      reader.at += 1;
    } else value += unit;
  }
  return value;
}

function readName(reader: Reader): string {
  const name = /^[\p{L}\p{N}_$.-]+/u.exec(reader.text.slice(reader.at, reader.at + 200))?.[0] ?? "";
  reader.at += name.length;
  return name;
}

const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["null", null],
  ["None", null],
]);

function readWord(reader: Reader): unknown {
  const word = /^[^\s,:{}[\]"']+/.exec(reader.text.slice(reader.at, reader.at + 200))?.[0] ?? "";
  reader.at += word.length;
  if (WORDS.has(word)) return WORDS.get(word);
  return word !== "" && Number.isFinite(Number(word)) ? Number(word) : FAILED;
}

function skipBlanks(reader: Reader, more = ""): void {
  while (
    reader.at < reader.text.length &&
    (/\s/.test(reader.text.charAt(reader.at)) || more.includes(reader.text.charAt(reader.at)))
  )
    reader.at += 1;
}
