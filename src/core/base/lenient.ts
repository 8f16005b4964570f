/** Reading JSON of others without trusting it: whatever is not as expected is absent, nothing throws. */

export type Fields = Readonly<Record<string, unknown>>;

/** The members of a JSON object; none where it is something else. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const isText = (value: unknown): value is string => typeof value === "string";

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

/** A text, also an empty one. */
export const stringIn = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

/** A text that says something. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function countIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The value of a JSON text; undefined where it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON for a part that has no better words; in one line where no indent is given. */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? "";
  } catch {
    // Nested deeper than the stack allows.
    return "…";
  }
}

/** A text as it is, and anything else as JSON. */
export const textOrJson = (value: unknown): string => (typeof value === "string" ? value : jsonText(value));

/** The failures that events of a stream tell of: in a member `error`, or as an event of that type. */
export function errorsIn(events: readonly Fields[]): unknown[] {
  return events.flatMap((event) =>
    event["type"] === "error" || event["error"] ? [event["error"] ?? event] : [],
  );
}

/** The pieces of a stream that name their places, from the first place to the last. */
export function inOrder<T>(pieces: ReadonlyMap<number, T>): T[] {
  return [...pieces.entries()].sort(([a], [b]) => a - b).map(([, piece]) => piece);
}
