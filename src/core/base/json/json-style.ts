/**
 * The layout and escapes of a serializer: together with the tree, enough to write the same text again.
 * It is plain JSON; `{}` is the style of JSON.stringify. Covers JSON.stringify, Python's json (with or without
 * ensure_ascii), Go's encoding/json, PHP's json_encode, Gson, Jackson, System.Text.Json, and serde.
 */
export interface JsonStyle {
  /** Spaces or tabs per level, with one value per line; absent for a text in one line. */
  readonly indent?: number | "\t";
  /** Line ending of an indented text; absent for LF. */
  readonly newline?: "\r\n";
  /** The colon with the white space around it; absent for ":". */
  readonly colon?: string;
  /** The comma with the white space around it (but not the line's end); absent for ",". */
  readonly comma?: string;
  /** Characters above U+007F are written as \uXXXX. */
  readonly ascii?: true;
  /** Further characters that are written as \uXXXX, e.g. "<>&" by Go. */
  readonly escaped?: string;
  /** "/" is written as "\/". */
  readonly slash?: true;
  /** Case of the hexadecimal digits in \uXXXX; absent for lower case. */
  readonly hex?: "upper";
  /** White space before and after the value. */
  readonly head?: string;
  readonly tail?: string;
}

/** Characters by the letter of their escape (RFC 8259, section 7). */
export const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

const PUNCTUATION = { colon: /^[ \t\r\n]*:[ \t\r\n]*$/, comma: /^[ \t\r\n]*,[ \t\r\n]*$/ };
const BLANK = /^[ \t\r\n]*$/;
const MAX_ESCAPED = 32;

/** Reads a style from a file. Returns undefined if it is invalid, or if texts in it would not be JSON. */
export function readJsonStyle(value: unknown): JsonStyle | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const fits = Object.entries(value).every(([name, given]) => CHECKS.get(name)?.(given) ?? false);
  return fits ? value : undefined;
}

const CHECKS: ReadonlyMap<string, (given: unknown) => boolean> = new Map([
  [
    "indent",
    (given: unknown) =>
      given === "\t" || (Number.isInteger(given) && Number(given) >= 0 && Number(given) <= 16),
  ],
  ["newline", (given: unknown) => given === "\r\n"],
  ["colon", (given: unknown) => typeof given === "string" && PUNCTUATION.colon.test(given)],
  ["comma", (given: unknown) => typeof given === "string" && PUNCTUATION.comma.test(given)],
  ["ascii", (given: unknown) => given === true],
  ["escaped", (given: unknown) => typeof given === "string" && given.length <= MAX_ESCAPED],
  ["slash", (given: unknown) => given === true],
  ["hex", (given: unknown) => given === "upper"],
  ["head", (given: unknown) => typeof given === "string" && BLANK.test(given)],
  ["tail", (given: unknown) => typeof given === "string" && BLANK.test(given)],
]);

/**
 * Guesses the style of `text`. Only this style is possible; the caller checks whether it reproduces the text.
 * Returns undefined for a text with more than 32 different escaped characters.
 */
export function guessStyle(text: string): JsonStyle | undefined {
  const escapes = guessEscapes(text);
  return escapes && { ...guessLayout(text), ...escapes };
}

function guessLayout(text: string): JsonStyle {
  const head = /^[ \t\r\n]*/.exec(text)?.[0] ?? "";
  const tail = text.slice(endOfValue(text));
  const line = /^[[{](\r?\n)( *|\t*)(?=[^\s])/.exec(text.slice(head.length, head.length + 64));
  const marks = firstMarks(text);
  const comma = line === null ? marks.comma : marks.comma?.replace(/\r?\n[ \t]*$/, "");
  return {
    ...(line && { indent: line[2]?.startsWith("\t") === true ? "\t" : (line[2]?.length ?? 0) }),
    ...(line?.[1] === "\r\n" && { newline: "\r\n" }),
    ...(marks.colon !== undefined && marks.colon !== ":" && { colon: marks.colon }),
    ...(comma !== undefined && comma !== "," && { comma }),
    ...(head !== "" && { head }),
    ...(tail !== "" && { tail }),
  };
}

function endOfValue(text: string): number {
  let end = text.length;
  while (end > 0 && BLANK.test(text.charAt(end - 1))) end -= 1;
  return end;
}

/** Finds the first colon and the first comma outside of strings, with the white space around them. */
function firstMarks(text: string): { readonly colon?: string; readonly comma?: string } {
  const found: { colon?: string; comma?: string } = {};
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (inString && char === "\\") at += 1;
    else if (char === '"') inString = !inString;
    else if (!inString && char === ":") found.colon ??= withSpace(text, at);
    else if (!inString && char === ",") found.comma ??= withSpace(text, at);
    if (found.colon !== undefined && found.comma !== undefined) break;
  }
  return found;
}

function withSpace(text: string, at: number): string {
  let start = at;
  let end = at + 1;
  while (start > 0 && BLANK.test(text.charAt(start - 1))) start -= 1;
  while (end < text.length && BLANK.test(text.charAt(end))) end += 1;
  return text.slice(start, end);
}

function guessEscapes(text: string): JsonStyle | undefined {
  if (!text.includes("\\")) return {};
  const units = new Set<string>();
  let upper = false;
  let slash = false;
  for (const [escape] of text.matchAll(/\\(?:u[0-9a-fA-F]{4}|.)/gs)) {
    if (escape === "\\/") slash = true;
    if (!escape.startsWith("\\u")) continue;
    if (/[A-F]/.test(escape)) upper = true;
    units.add(String.fromCharCode(Number.parseInt(escape.slice(2), 16)));
  }
  const wide = [...units].filter((unit) => unit > "\u007f" && !/[\ud800-\udfff]/.test(unit));
  const ascii = (wide.length > 0 || hasEscapedPair(text)) && !/[\u0080-\uffff]/.test(text);
  const escaped = [...units].filter((unit) => isFurther(unit, ascii)).sort();
  if (escaped.length > MAX_ESCAPED) return undefined;
  return {
    ...(ascii && { ascii }),
    ...(escaped.length > 0 && { escaped: escaped.join("") }),
    ...(slash && { slash }),
    ...(upper && { hex: "upper" as const }),
  };
}

function hasEscapedPair(text: string): boolean {
  return /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/.test(text);
}

/** Whether the escape is a choice of the serializer. Lone surrogates and most control characters are always escaped. */
function isFurther(unit: string, ascii: boolean): boolean {
  if (/[\ud800-\udfff]/.test(unit)) return false;
  if (unit < " ") return "\b\t\n\f\r".includes(unit);
  return !(ascii && unit > "\u007f");
}
