import { deepCompareStrict, type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { splitPointer } from "../../core/base/json/json-tree.ts";
import { isFields } from "../../core/base/lenient.ts";
import { describeThrown } from "../../core/base/thrown-text.ts";
import { decodePercent } from "../../core/base/wire/text.ts";
import { typeName } from "./plain.ts";

/**
 * Checks a value against a JSON Schema (draft 2020-12) and returns its faults. `format` is an annotation, the draft's
 * default, unless `checksFormats`. A schema that cannot be used, for example because a reference leads nowhere, is a
 * fault too.
 */
export function listSchemaFaults(
  schema: unknown,
  value: unknown,
  { checksFormats = false }: { readonly checksFormats?: boolean } = {},
): readonly string[] {
  if (!isFields(schema) && typeof schema !== "boolean")
    return [`the schema is ${typeName(schema)}, not an object`];
  try {
    // The validator adds members to its schema.
    const copy = (checksFormats ? structuredClone(schema) : withoutKeyword(schema, "format")) as
      | Schema
      | boolean;
    const { errors } = new Validator(copy, "2020-12", false).validate(value);
    const faults = errors.filter(({ keyword }) => !CONTAINERS.has(keyword));
    return (faults.length > 0 ? faults : errors).map(describeFault);
  } catch (error) {
    return [`the schema cannot be used: ${describeThrown(error).split("\n")[0]}`];
  }
}

/** Keywords whose faults are reported at the member or item that has them. */
const CONTAINERS: ReadonlySet<string> = new Set(
  "$ref additionalProperties allOf else if items patternProperties prefixItems properties then".split(" "),
);

function describeFault({ instanceLocation, keyword, error }: OutputUnit): string {
  const what = keyword === "false" ? "the value is not allowed" : error.replace(/\.$/, "");
  return instanceLocation === "#" ? what : `${what} at ${instanceLocation.slice(1)}`;
}

/** Copies a schema without a keyword. Data, and properties that are called like the keyword, keep their members. */
export function withoutKeyword(schema: unknown, keyword: string): unknown {
  if (Array.isArray(schema)) return schema.map((item: unknown) => withoutKeyword(item, keyword));
  if (!isFields(schema)) return schema;
  const kept = Object.entries(schema).filter(([name]) => name !== keyword);
  return Object.fromEntries(
    kept.map(([name, value]) => {
      if (DATA.has(name)) return [name, structuredClone(value)];
      if (!NAMED.has(name) || !isFields(value)) return [name, withoutKeyword(value, keyword)];
      const parts = Object.entries(value).map(([part, inner]) => [part, withoutKeyword(inner, keyword)]);
      return [name, Object.fromEntries(parts)];
    }),
  );
}

/** Keywords whose value is data. */
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);
/** Keywords whose members are schemas with names that the author of the schema chooses. */
const NAMED: ReadonlySet<string> = new Set(
  "$defs definitions dependentSchemas patternProperties properties".split(" "),
);

/** Resolves a local reference: "#" or "#/a/b". Returns undefined for an unknown or remote one. */
export function resolveRef(root: unknown, ref: string): unknown {
  if (!/^#(?:\/|$)/.test(ref)) return undefined;
  return splitPointer(decodePercent(ref.slice(1))).reduce<unknown>(
    (found, name) =>
      typeof found === "object" && found !== null && Object.hasOwn(found, name)
        ? (Reflect.get(found, name) as unknown)
        : undefined,
    root,
  );
}

/** Whether two JSON values are equal, independent of the order of members. */
export const isSameJson: (a: unknown, b: unknown) => boolean = deepCompareStrict;
