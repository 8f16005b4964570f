import { JsonRepairer } from "./json-repairer.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** What became of a text that should have been a JSON object. */
export interface RepairedObject {
  readonly value: JsonObject;
  /** What the text holds: an object as it stands, one that had to be repaired, or else an empty `value`. */
  readonly found: "whole" | "repaired" | "other" | "nothing";
}

/**
 * The object that a text is, or is on its way to be: strings and brackets that are not closed are closed, a name
 * without a value yet is left out, quotes may be single or missing. Never fails: what is no object is an empty one.
 */
export function repairObject(text: string): RepairedObject {
  const whole = parsed(text);
  if (whole !== undefined)
    return isObject(whole) ? { value: whole, found: "whole" } : { value: {}, found: "other" };
  const values = new JsonRepairer(text).values();
  const [first] = values;
  if (values.length === 1 && isObject(first)) return { value: first, found: "repaired" };
  return { value: {}, found: values.length > 0 ? "other" : "nothing" };
}

/**
 * The object of a text that still grows. A whole text wins; until then the object of the step before stays where it
 * says more, so that nothing that was there goes away again.
 */
export function repairGrowingObject(text: string, before: JsonObject = {}): RepairedObject {
  const repaired = repairObject(text);
  const longer = repaired.found !== "whole" && written(before) > written(repaired.value);
  return longer ? { ...repaired, value: before } : repaired;
}

/** How long a value is as Python writes it, by which the original compares. */
function written(value: unknown): number {
  if (typeof value !== "object" || value === null) {
    const text = JSON.stringify(value) ?? "";
    // Each unit beyond ASCII is written as `\uXXXX`.
    return text.length + 5 * (text.match(/[\u0080-\uffff]/g)?.length ?? 0);
  }
  const lengths = Array.isArray(value)
    ? value.map(written)
    : Object.entries(value).map(([name, member]) => written(name) + 2 + written(member));
  return 2 + lengths.reduce((sum, length) => sum + length, 0) + 2 * Math.max(0, lengths.length - 1);
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
