const MARKER = Symbol.for("llm-tapedeck.json-fault");

/** Why and where a text is not JSON. `message` ends with the position, `reason` is the same without it. */
export interface JsonFault extends Error {
  readonly reason: string;
  /** In UTF-16 code units from the beginning of the text. */
  readonly offset: number;
  /** From 1; lines end with LF, CR or CRLF. */
  readonly line: number;
  /** From 1, in UTF-16 code units, as editors count. */
  readonly column: number;
}

/** Tells a fault in a text from a bug. */
export function isJsonFault(value: unknown): value is JsonFault {
  return typeof value === "object" && value !== null && MARKER in value;
}

/** Makes the fault found at `offset` of `text`. */
export function jsonFault(reason: string, text: string, offset: number): JsonFault {
  const { line, column } = lineAndColumn(text, offset);
  const error = new Error(`${reason} at line ${line}, column ${column}`);
  error.name = "JsonFault";
  return Object.assign(error, { [MARKER]: true, reason, offset, line, column });
}

function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = 0; at < offset; at += 1) {
    const unit = text.charCodeAt(at);
    const endsLine = unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10);
    if (!endsLine) continue;
    line += 1;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}
