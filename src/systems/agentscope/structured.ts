import { STRUCTURED_TASK, STRUCTURED_TOOL } from "../../client/adapters/request-parts.ts";
import { type Fields, fieldsOf, isFields } from "../../core/base/lenient.ts";
import { resolveRef } from "../../client/json/schema-place.ts";
import type { OutputSchema, SelfDescribingSchema } from "../../client/request.ts";
import { checkOutputValue, isSelfDescribing, jsonSchemaOf } from "../../client/structured-output.ts";
import type { Surroundings } from "../../client/surroundings.ts";
import type { JsonSchema } from "../../client/tool.ts";

/** What the answer is to be like: a zod schema, or a JSON Schema under `schema`. */
export type StructuredModel = OutputSchema | SelfDescribingSchema;

export function outputOf(model: StructuredModel): OutputSchema {
  return isSelfDescribing(model) ? { schema: model } : model;
}

/** A structured answer with its defaults filled in. @throws ChatError "validation" where it does not fit. */
export async function checkedAnswer(model: StructuredModel, value: unknown): Promise<Fields> {
  const output = outputOf(model);
  const filled = isSelfDescribing(output.schema) ? value : fillDefaults(value, output.schema);
  return fieldsOf(await checkOutputValue(output, filled));
}

/** A schema as it was given, with its titles. */
export function schemaOf(model: StructuredModel): JsonSchema {
  const { $schema: _dialect, ...schema } = jsonSchemaOf(outputOf(model));
  return schema;
}

/** The name that a schema gives itself, for providers that want one. */
export function nameOf(model: StructuredModel): string {
  const { name } = outputOf(model);
  const { title } = schemaOf(model);
  const given = name ?? (typeof title === "string" ? title : "structured_output");
  return given.replaceAll(/[^\w-]/g, "_").slice(0, 64);
}

/** The tool that a model without structured answers is made to call instead. */
export function toolFromModel(model: StructuredModel): {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonSchema };
} {
  const parameters = withoutTitles(schemaOf(model));
  return {
    type: "function",
    function: { name: STRUCTURED_TOOL, description: STRUCTURED_TASK, parameters },
  };
}

/** Says that tools and tool choice of a call are left out, where there are some. */
export function warnOfDroppedTools(
  call: { readonly tools?: unknown; readonly toolChoice?: unknown },
  log: Surroundings["log"],
): void {
  const given = (Array.isArray(call.tools) && call.tools.length > 0) || Boolean(call.toolChoice);
  if (!given) return;
  log({
    level: "warning",
    message:
      "structured_model is provided. Both 'tools' and 'tool_choice' parameters will be overridden and ignored. The model will only perform structured output generation without calling any other tools.",
  });
}

/** A schema without the titles of its places. A property that is called "title" stays. */
const withoutTitles = (schema: JsonSchema): JsonSchema => (isFields(schema) ? stripTitles(schema) : {});

function stripTitles(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([name]) => name !== "title");
  return Object.fromEntries(
    kept.map(([name, value]) => [name, NAMED.has(name) ? eachMember(value) : below(name, value)]),
  );
}

/** Under these, names are the user's own. */
const NAMED = new Set(["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"]);
/** Under these stands data. */
const DATA = new Set(["default", "const", "enum", "examples"]);

function eachMember(value: unknown): unknown {
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isFields(one) ? stripTitles(one) : one]),
  );
}

function below(name: string, value: unknown): unknown {
  if (DATA.has(name)) return value;
  if (Array.isArray(value)) return value.map((one: unknown) => (isFields(one) ? stripTitles(one) : one));
  return isFields(value) ? stripTitles(value) : value;
}

/** The value with the defaults of its schema where members are missing; the value itself stays as it is. */
const fillDefaults = (value: unknown, schema: JsonSchema): unknown => withDefaults(value, schema, schema);

function withDefaults(value: unknown, given: unknown, root: JsonSchema): unknown {
  const schema = resolveReference(given, root);
  if (Array.isArray(value)) return value.map((item: unknown) => withDefaults(item, schema["items"], root));
  if (!isFields(value)) return value;
  const properties = fieldsOf(schema["properties"]);
  const own = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    Object.hasOwn(properties, name) ? withDefaults(member, properties[name], root) : member,
  ]);
  const missing = Object.entries(properties).flatMap(([name, property]): [string, unknown][] => {
    if (Object.hasOwn(value, name) || !isFields(property) || !("default" in property)) return [];
    return [[name, structuredClone(property["default"])]];
  });
  return Object.fromEntries([...own, ...missing]);
}

/** A schema, or what a reference within `#/$defs` or `#/definitions` names. */
function resolveReference(schema: unknown, root: JsonSchema): Fields {
  const fields = fieldsOf(schema);
  const ref = String(fields["$ref"]);
  return /^#\/(?:\$defs|definitions)\/[^/]+$/.test(ref) ? fieldsOf(resolveRef(root, ref)) : fields;
}
