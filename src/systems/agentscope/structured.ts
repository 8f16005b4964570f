import { STRUCTURED_TASK, STRUCTURED_TOOL } from "./tool-choice.ts";
import { type Fields, readFields, isFields } from "../../core/base/lenient.ts";
import { resolveRef, withoutKeyword, listSchemaFaults } from "../../client/json/schema-check.ts";
import type { Surroundings } from "../../client/surroundings.ts";
import type { JsonSchema } from "../../client/tool.ts";
import { chatError, type ChatError } from "../../client/errors.ts";
import { describeThrown } from "../../core/base/thrown-text.ts";

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

/**
 * A schema that has a JSON Schema and can check a value: zod 4.2 and later, and other libraries that implement Standard
 * Schema with its JSON Schema extension. Source: standardschema.dev, 2026-11.
 */
interface SelfDescribingSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly jsonSchema: { readonly input: (options: { readonly target: "draft-2020-12" }) => unknown };
  };
}

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly unknown[] | undefined;
      }[];
    };

export interface OutputSchema {
  /** A JSON Schema, or a zod schema. */
  readonly schema: JsonSchema | SelfDescribingSchema;
  /** Name for the provider: letters, digits, `_`, and `-`. Default "output". */
  readonly name?: string;
  readonly description?: string;
  /** Whether the provider enforces the schema, if it can. */
  readonly strict?: boolean;
}

/** Whether a schema belongs to zod or another library with JSON Schema support. */
function isSelfDescribing(schema: unknown): schema is SelfDescribingSchema {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  const standard: unknown = Reflect.get(schema, "~standard");
  return isFields(standard) && typeof standard["validate"] === "function" && isFields(standard["jsonSchema"]);
}

/** Returns the JSON Schema for the provider. @throws ChatError "validation" if the library cannot convert its schema */
export function jsonSchemaOf(given: OutputSchema): JsonSchema {
  const { schema } = given;
  if (!isSelfDescribing(schema)) return schema;
  try {
    const converted = schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
    if (isFields(converted)) return converted;
  } catch (error) {
    const reason = describeThrown(error);
    throw chatError("validation", `output.schema: it has no JSON Schema: ${reason}`, {
      where: "output.schema",
      cause: error,
    });
  }
  throw chatError("validation", "output.schema: it has no JSON Schema", { where: "output.schema" });
}

/**
 * Checks a structured answer, and fills in zod's defaults.
 * @throws ChatError "validation" with where = "reply", which can be retried
 */
export async function checkOutputValue({ schema }: OutputSchema, value: unknown): Promise<unknown> {
  if (!isSelfDescribing(schema)) {
    const faults = listSchemaFaults(schema, value);
    if (faults.length > 0) throw badOutput(faults, value);
    return value;
  }
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  const faults = result.issues.map(
    ({ message, path = [] }) => `${["output", ...path.map(stepOf)].join(".")}: ${message}`,
  );
  throw badOutput(faults, value);
}

/** Returns the key of a path step, which Standard Schema allows as a key or as `{ key }`. */
const stepOf = (step: unknown): string => String(isFields(step) && "key" in step ? step["key"] : step);

function badOutput(faults: readonly string[], value: unknown): ChatError {
  const what = faults.slice(0, 5).join("; ");
  return chatError("validation", `The structured answer does not fit its schema: ${what}`, {
    where: "reply",
    retryable: true,
    answer: JSON.stringify(value),
    hint: "Retry the call, or show the fault to the model.",
  });
}
