import { chatError, type ChatError } from "../../client/errors.ts";
import { isFields } from "../../core/base/lenient.ts";
import { listSchemaFaults } from "../../client/json/schema-check.ts";
import type { JsonSchema } from "../../client/tool.ts";
import { describeThrown } from "../../core/base/thrown-text.ts";

/**
 * A schema that has a JSON Schema and can check a value: zod 4.2 and later, and other libraries that implement Standard
 * Schema with its JSON Schema extension. Source: standardschema.dev, 2026-11.
 */
export interface SelfDescribingSchema {
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
export function isSelfDescribing(schema: unknown): schema is SelfDescribingSchema {
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
