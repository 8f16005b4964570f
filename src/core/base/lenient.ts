/** Readers for untrusted JSON: unexpected values count as absent, and nothing throws. */

export type Fields = Readonly<Record<string, unknown>>;

/** Returns the members of a JSON object; an empty object for any other value. */
export const readFields = (value: unknown): Fields => (isFields(value) ? value : {});

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const readList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const isText = (value: unknown): value is string => typeof value === "string";

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

/** Returns a string, even an empty one. */
export const readString = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

/** Returns a string that is not empty. */
export function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function readCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Parses JSON; returns undefined for invalid JSON. */
export function tryParsePlainJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Formats a value as JSON to show, by default in one line. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? "";
  } catch {
    // Nested deeper than the stack allows.
    return "…";
  }
}

/** Returns a string unchanged, and any other value as JSON. */
export const writeTextOrJson = (value: unknown): string =>
  typeof value === "string" ? value : stringifyJson(value);

/** Returns the failures in the events of a stream: in a member `error`, or as an event of that type. */
export function listErrors(events: readonly Fields[]): unknown[] {
  return events.flatMap((event) =>
    event["type"] === "error" || event["error"] ? [event["error"] ?? event] : [],
  );
}

/** Returns the indexed pieces of a stream in ascending order. */
export function sortPieces<T>(pieces: ReadonlyMap<number, T>): T[] {
  return [...pieces.entries()].sort(([a], [b]) => a - b).map(([, piece]) => piece);
}
