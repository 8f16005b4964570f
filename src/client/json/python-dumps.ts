/** How `pythonDumps` writes. */
export interface PythonDumpsOptions {
  /** Everything beyond ASCII as `\uXXXX`, as Python does unless told otherwise. Default true. */
  readonly ascii?: boolean;
}

/**
 * JSON as Python's `json.dumps` spaces and escapes it: `", "` and `": "`, control characters in lower-case hex.
 * Members that are undefined are left out. @throws TypeError for circular values, as JSON.stringify does.
 */
export function pythonDumps(value: unknown, options: PythonDumpsOptions = {}): string {
  const { ascii = true } = options;
  // The replacer of a first pass reads toJSON, drops what JSON has no word for, and finds circles.
  const plain: unknown = JSON.parse(JSON.stringify(value) ?? "null");
  return written(plain, ascii);
}

function written(value: unknown, ascii: boolean): string {
  if (typeof value === "string") return text(value, ascii);
  if (Array.isArray(value)) return `[${value.map((item) => written(item, ascii)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, item]) => `${text(name, ascii)}: ${written(item, ascii)}`,
  );
  return `{${members.join(", ")}}`;
}

function text(value: string, ascii: boolean): string {
  const quoted = JSON.stringify(value);
  return ascii ? quoted.replace(/[\u007f-\uffff]/g, escaped) : quoted;
}

function escaped(unit: string): string {
  // Python leaves DEL alone.
  return unit === "\u007f" ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
