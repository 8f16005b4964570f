import { fieldsOf, isFields, type Fields } from "../../core/protocol/reading/lenient.ts";
import type { JsonSchema } from "../tool.ts";

/** The value with the defaults of its schema where members are missing; the value itself stays as it is. */
export function fillDefaults(value: unknown, schema: JsonSchema): unknown {
  return filled(value, schema, { root: schema, depth: 0 });
}

interface Walk {
  readonly root: JsonSchema;
  readonly depth: number;
}

const DEEPEST = 200;

function filled(value: unknown, given: unknown, walk: Walk): unknown {
  if (walk.depth > DEEPEST) return value;
  const schema = resolved(given, walk.root);
  const inner = { root: walk.root, depth: walk.depth + 1 };
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, schema["items"], inner));
  if (!isFields(value)) return value;
  const properties = fieldsOf(schema["properties"]);
  const own = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    Object.hasOwn(properties, name) ? filled(member, properties[name], inner) : member,
  ]);
  const missing = Object.entries(properties).flatMap(([name, property]): [string, unknown][] => {
    if (Object.hasOwn(value, name) || !isFields(property) || !("default" in property)) return [];
    return [[name, structuredClone(property["default"])]];
  });
  return Object.fromEntries([...own, ...missing]);
}

/** A schema, or what a reference within `#/$defs` or `#/definitions` names. */
function resolved(schema: unknown, root: JsonSchema): Fields {
  const fields = fieldsOf(schema);
  const [, group = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(fields["$ref"])) ?? [];
  return name === "" ? fields : fieldsOf(fieldsOf(root[group])[name]);
}
