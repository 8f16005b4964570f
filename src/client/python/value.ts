import { parseJson } from "../../core/base/json/json-parse.ts";
import { isJsonNumber, isJsonObject, type JsonTree } from "../../core/base/json/json-tree.ts";
import { invalid } from "../errors.ts";

const FLOAT = Symbol.for("llm-tapedeck.python-float");

/** A number that is a float in Python, because JavaScript does not distinguish 1.0 from 1. */
interface PythonFloat {
  readonly [FLOAT]: number;
}

export const pythonFloat = (value: number): PythonFloat => Object.freeze({ [FLOAT]: value });

const isPythonFloat = (value: object): value is PythonFloat => FLOAT in value;

/** Converts the numbers of a value to JavaScript numbers. */
export function convertPlainNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (isPythonFloat(value)) return value[FLOAT];
  if (Array.isArray(value)) return value.map(convertPlainNumbers);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, convertPlainNumbers(member)]),
  );
}

/** Maximum nesting of values, to avoid a stack overflow. */
const MAX_DEPTH = 512;

/**
 * Converts a value to the tree that Python would have after reading its JSON, with Python's spelling of numbers.
 * Plain objects and Maps are dicts in order (plain objects move integer-like names to the front, Maps do not); undefined
 * members are omitted. Whole numbers up to 2^53 are ints, other numbers are floats; bigints are ints of any size.
 * @throws ChatError "validation" for circular values and for values without JSON; `where` names the value
 */
export function pythonTree(value: unknown, where: string): JsonTree {
  return treeOf(value, { where, above: new Set() });
}

interface Walk {
  readonly where: string;
  /** The containers of the value, to detect circular references. */
  readonly above: Set<object>;
}

function treeOf(value: unknown, walk: Walk): JsonTree {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return { number: numberText(value) };
  if (typeof value === "bigint") return { number: value.toString() };
  if (typeof value === "object") return containerOf(value, walk);
  throw invalid(walk.where, `a ${typeof value} cannot be written as JSON`);
}

function containerOf(value: object, { where, above }: Walk): JsonTree {
  if (isPythonFloat(value)) return { number: pythonFloatText(value[FLOAT]) };
  if (above.has(value)) throw invalid(where, "the value contains itself");
  if (above.size === MAX_DEPTH) throw invalid(where, `the nesting is deeper than ${MAX_DEPTH} levels`);
  above.add(value);
  try {
    if (Array.isArray(value)) {
      return value.map((element: unknown, index) => treeOf(element, { where: `${where}[${index}]`, above }));
    }
    const members = listDictEntries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, treeOf(member, { where: `${where}.${name}`, above })] as const);
    return { members };
  } finally {
    above.delete(value);
  }
}

/** Returns the members of a plain object or Map in order. */
export function listDictEntries(value: object): readonly (readonly [string, unknown])[] {
  if (value instanceof Map) return [...value].map(([name, member]) => [String(name), member] as const);
  return Object.entries(value);
}

/** Returns a member of a plain object or Map. */
export function getDictValue(value: object, name: string): unknown {
  if (value instanceof Map) return value.get(name);
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

/** Whether a value is a dict in Python: a plain object or a Map, not a list or an instance of a class. */
export function isDict(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  if (value instanceof Map) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Writes a number. Safe integers are ints in Python, other numbers floats. */
function numberText(value: number): string {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : pythonFloatText(value);
}

/**
 * Reads JSON without loss for a key: 1.0 stays a float, long integers keep their digits, and objects with names that
 * JavaScript would reorder are Maps.
 * @throws JsonFault for invalid JSON
 */
export const parsePython = (text: string): unknown => fromTree(parseJson(text));

function fromTree(tree: JsonTree): unknown {
  if (typeof tree !== "object" || tree === null) return tree;
  if (isJsonNumber(tree)) return parsePythonNumber(tree.number);
  if (!isJsonObject(tree)) return tree.map(fromTree);
  const entries = tree.members.map(([name, value]) => [name, fromTree(value)] as const);
  const keepsOrder = entries.every(([name]) => !/^[0-9]+$/.test(name));
  return keepsOrder ? Object.fromEntries(entries) : new Map(entries);
}

/** Parses a number of JSON: an int, a long int, or a float. */
export function parsePythonNumber(digits: string): number | bigint | PythonFloat {
  if (/[.eE]/.test(digits)) return pythonFloat(Number(digits));
  const value = Number(digits);
  if (digits === "-0") return 0;
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}

/** Returns the name of a value's type for messages. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value === "object" ? "object" : typeof value;
}

/**
 * Writes a float like Python's `repr` and `json.dumps`: the shortest digits that give the same double, `.0` for whole
 * values, and an exponent of at least two digits from 1e16 and below 1e-4.
 */
function pythonFloatText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (!Number.isFinite(value)) return `${sign}Infinity`;
  const [mantissa = "0", power = "0"] = Math.abs(value).toExponential().split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    const digits = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${digits}`;
  }
  return sign + positional(mantissa.replace(".", ""), exponent);
}

/** Writes d0.d1d2… times 10^exponent without an exponent. */
function positional(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${whole}.${digits.slice(exponent + 1) || "0"}`;
}
