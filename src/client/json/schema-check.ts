import { isFields } from "../../core/protocol/reading/lenient.ts";
import { KEYWORDS } from "./schema-keywords.ts";
import { faultAt, quoted, type SchemaPlace } from "./schema-place.ts";
import { resolveRef } from "./schema-refs.ts";
import { unevaluatedFaults } from "./schema-unevaluated.ts";

/**
 * What is wrong with a value by a JSON Schema (draft 2020-12), in words; empty where it fits. `format` and `content…`
 * are notes, as the draft has it by default. References are looked up inside the schema alone.
 */
export function schemaFaults(schema: unknown, value: unknown): readonly string[] {
  return check({ root: schema, schema, value, at: "", followed: [], check });
}

function check(place: SchemaPlace): readonly string[] {
  const { schema } = place;
  if (schema === true) return [];
  if (schema === false) return [faultAt(place, `${quoted(place.value)} is not allowed`)];
  if (!isFields(schema)) return [faultAt(place, "the schema is none")];
  const faults = Object.entries(schema).flatMap(([keyword, wanted]) => {
    if (keyword === "$ref" || keyword === "$dynamicRef") return referenceFaults(place, wanted);
    const rule = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    return rule?.(wanted, place, schema) ?? [];
  });
  return [...faults, ...unevaluatedFaults(place, schema)];
}

function referenceFaults(place: SchemaPlace, wanted: unknown): readonly string[] {
  const ref = String(wanted);
  if (place.followed.includes(ref)) return [];
  const target = resolveRef(place.root, ref);
  if (target === undefined) return [faultAt(place, `the reference ${ref} leads nowhere`)];
  return check({ ...place, schema: target, followed: [...place.followed, ref] });
}
