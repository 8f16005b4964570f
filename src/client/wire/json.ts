/** Reading of values that come from outside: SDK objects, parsed JSON, user input. */

export type Fields = Readonly<Record<string, unknown>>;

/** The members of an object, or nothing of anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A count of tokens; what is missing, null or no number counts 0. */
export function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
