import { isFields, type Fields } from "../../core/protocol/reading/lenient.ts";
import type { JsonSchema } from "../tool.ts";

/**
 * A schema without `$ref` and `$defs`, for providers that know neither. Fields beside a reference win over those of
 * what it names; a reference into itself becomes an object that says so, and is told to `onCircle`.
 */
export function inlineReferences(schema: JsonSchema, onCircle: (name: string) => void): JsonSchema {
  const definitions: Fields = { ...fieldsIn(schema["definitions"]), ...fieldsIn(schema["$defs"]) };
  const walked = inlined(schema, { definitions, onCircle, open: [] });
  return isFields(walked) ? walked : {};
}

interface Walk {
  readonly definitions: Fields;
  readonly onCircle: (name: string) => void;
  /** The definitions that are being written, outermost first. */
  readonly open: readonly string[];
}

function inlined(value: unknown, walk: Walk): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => inlined(item, walk));
  if (!isFields(value)) return value;
  const { $ref: reference, $defs: _new, definitions: _old, ...beside } = value;
  if (typeof reference !== "string") return members(beside, walk);
  const name = reference.split("/").at(-1) ?? reference;
  if (walk.open.includes(name)) {
    walk.onCircle(name);
    return { type: "object", description: `(circular: ${name})` };
  }
  const target = inlined(walk.definitions[name] ?? {}, { ...walk, open: [...walk.open, name] });
  return { ...fieldsIn(target), ...members(beside, walk) };
}

function members(value: Fields, walk: Walk): Fields {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === "properties" && isFields(member)
        ? Object.fromEntries(Object.entries(member).map(([own, one]) => [own, inlined(one, walk)]))
        : inlined(member, walk),
    ]),
  );
}

const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {});
