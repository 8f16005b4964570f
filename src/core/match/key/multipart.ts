import { pickDefined } from "../../pick-defined.ts";

/** One part of a multipart body (RFC 2046, RFC 7578). */
export interface MultipartPart {
  readonly name?: string;
  readonly filename?: string;
  /** Lower case, parameters included. */
  readonly contentType?: string;
  readonly content: Uint8Array;
}

/** One character a byte (it is windows-1252 in fact): positions in the text are positions in the body. */
const bytewise = new TextDecoder("latin1");
const utf8 = new TextDecoder();

export function isMultipart(contentType: string | undefined): boolean {
  return /^\s*multipart\//i.test(contentType ?? "");
}

/**
 * Takes a multipart body apart, in order. The contents are views on `body`.
 * Gives a sentence that says what is wrong where the body is not what its content type says.
 */
export function parseMultipart(body: Uint8Array, contentType: string): readonly MultipartPart[] | string {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return "its content type names no boundary";
  const text = bytewise.decode(body);
  const parts: MultipartPart[] = [];
  let delimiter = findDelimiter(text, boundary, 0);
  if (delimiter === undefined) return "its boundary does not occur in it";
  while (!delimiter.last) {
    // A part without headers begins with the blank line, which shares its line break with the delimiter.
    const start = delimiter.end - 2;
    const next = findDelimiter(text, boundary, delimiter.end);
    if (next === undefined) return `part ${parts.length + 1} has no end`;
    const blank = text.slice(start, next.start + 2).indexOf("\r\n\r\n");
    if (blank < 0) return `the headers of part ${parts.length + 1} have no end`;
    const headers = readHeaders(utf8.decode(body.subarray(delimiter.end, start + blank)));
    parts.push({ ...headers, content: body.subarray(Math.min(start + blank + 4, next.start), next.start) });
    delimiter = next;
  }
  return parts;
}

interface Delimiter {
  /** Where the line break before the dashes begins, and where the line after them does. */
  readonly start: number;
  readonly end: number;
  readonly last: boolean;
}

function findDelimiter(text: string, boundary: string, from: number): Delimiter | undefined {
  const dashes = `--${boundary}`;
  for (let at = text.indexOf(dashes, from); at >= 0; at = text.indexOf(dashes, at + 1)) {
    const beginsLine = at === 0 || text.startsWith("\r\n", at - 2);
    const rest = /^(--)?[ \t]*(?:\r\n|$)/.exec(text.slice(at + dashes.length, at + dashes.length + 80));
    if (!beginsLine || rest === null) continue;
    return {
      start: Math.max(0, at - 2),
      end: at + dashes.length + rest[0].length,
      last: rest[1] !== undefined,
    };
  }
  return undefined;
}

function boundaryOf(contentType: string): string | undefined {
  const found = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType);
  return found?.[1] ?? found?.[2];
}

function readHeaders(text: string): Omit<MultipartPart, "content"> {
  const headers = new Map<string, string>();
  for (const line of text.replace(/\r\n[ \t]+/g, " ").split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const disposition = headers.get("content-disposition") ?? "";
  const name = parameter(disposition, "name");
  const filename = parameter(disposition, "filename*") ?? parameter(disposition, "filename");
  const contentType = headers.get("content-type")?.toLowerCase();
  return pickDefined({ name, filename, contentType });
}

function parameter(header: string, name: string): string | undefined {
  const escaped = name.replace("*", "\\*");
  const found = new RegExp(`;\\s*${escaped}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, "i").exec(
    header,
  );
  return found?.[1]?.replace(/\\(["\\])/g, "$1") ?? found?.[2];
}
