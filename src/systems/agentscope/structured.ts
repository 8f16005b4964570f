import { STRUCTURED_TASK, STRUCTURED_TOOL } from "./tool-choice.ts";
import { type Fields, readFields, isFields } from "../../core/base/lenient.ts";
import { resolveRef, withoutKeyword } from "../../client/json/schema-check.ts";
import {
  checkOutputValue,
  isSelfDescribing,
  jsonSchemaOf,
  type OutputSchema,
  type SelfDescribingSchema,
} from "./output-schema.ts";
import type { Surroundings } from "../../client/surroundings.ts";
import type { JsonSchema } from "../../client/tool.ts";

/** Schema of a structured answer: a zod schema, or a JSON Schema in the member `schema`. */
export type StructuredModel = OutputSchema | SelfDescribingSchema;

export function createOutputSchema(model: StructuredModel): OutputSchema {
  return isSelfDescribing(model) ? { schema: model } : model;
}

/** Checks a structured answer and fills in defaults. @throws ChatError "validation" */
export async function checkAnswer(model: StructuredModel, value: unknown): Promise<Fields> {
  const output = createOutputSchema(model);
  const filled = isSelfDescribing(output.schema) ? value : fillDefaults(value, output.schema);
  return readFields(await checkOutputValue(output, filled));
}

/** Returns the JSON Schema with its titles. */
export function getSchema(model: StructuredModel): JsonSchema {
  const { $schema: _dialect, ...schema } = jsonSchemaOf(createOutputSchema(model));
  return schema;
}

/** Returns the name of a schema, for providers that require one. */
export function getModelName(model: StructuredModel): string {
  const { name } = createOutputSchema(model);
  const { title } = getSchema(model);
  const given = name ?? (typeof title === "string" ? title : "structured_output");
  return given.replaceAll(/[^\w-]/g, "_").slice(0, 64);
}

/** Makes the tool that a model without structured answers is forced to call. */
export function createToolFromModel(model: StructuredModel): {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonSchema };
} {
  const parameters = readFields(withoutKeyword(getSchema(model), "title"));
  return {
    type: "function",
    function: { name: STRUCTURED_TOOL, description: STRUCTURED_TASK, parameters },
  };
}

/** Logs a warning if tools and tool choice of a call are ignored. */
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

/** Copies a value with the defaults of its schema for missing members. */
const fillDefaults = (value: unknown, schema: JsonSchema): unknown => withDefaults(value, schema, schema);

function withDefaults(value: unknown, given: unknown, root: JsonSchema): unknown {
  const schema = resolveReference(given, root);
  if (Array.isArray(value)) return value.map((item: unknown) => withDefaults(item, schema["items"], root));
  if (!isFields(value)) return value;
  const properties = readFields(schema["properties"]);
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

/** Resolves a reference to `#/$defs` or `#/definitions`; returns other schemas unchanged. */
function resolveReference(schema: unknown, root: JsonSchema): Fields {
  const fields = readFields(schema);
  const ref = String(fields["$ref"]);
  return /^#\/(?:\$defs|definitions)\/[^/]+$/.test(ref) ? readFields(resolveRef(root, ref)) : fields;
}
