import { chatError, type ChatError } from "./errors.ts";
import { isFields } from "../core/base/lenient.ts";
import { showValue } from "./json/plain.ts";
import { listSchemaFaults } from "./json/schema-check.ts";
import type { OutputSchema, SelfDescribingSchema } from "./request.ts";
import type { JsonSchema } from "./tool.ts";
import { describeThrown } from "../core/base/thrown-text.ts";

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
 * Parses and checks the structured answer in the model's text, and fills in zod's defaults.
 * @throws ChatError "validation" with where = "reply", which can be retried
 */
export async function readOutput(output: OutputSchema, text: string): Promise<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badOutput(`the answer is not JSON: ${showValue(text)}`, text, error);
  }
  return checkOutputValue(output, value, text);
}

/** Checks an answer that is already parsed, such as the arguments of a forced tool call; `text` is the model's text. */
export async function checkOutputValue(
  given: OutputSchema,
  value: unknown,
  text = JSON.stringify(value),
): Promise<unknown> {
  const { schema } = given;
  if (!isSelfDescribing(schema)) {
    const faults = listSchemaFaults(schema, value);
    if (faults.length > 0) throw badOutput(faults.slice(0, 5).join("; "), text);
    return value;
  }
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  const faults = result.issues.map(
    ({ message, path = [] }) => `${["output", ...path.map(stepOf)].join(".")}: ${message}`,
  );
  throw badOutput(faults.slice(0, 5).join("; "), text);
}

/** Returns the key of a path step, which Standard Schema allows as a key or as `{ key }`. */
const stepOf = (step: unknown): string => String(isFields(step) && "key" in step ? step["key"] : step);

function badOutput(what: string, answer: string, cause?: unknown): ChatError {
  return chatError("validation", `The structured answer does not fit its schema: ${what}`, {
    where: "reply",
    retryable: true,
    answer,
    hint: "Retry the call, or show the fault to the model.",
    cause,
  });
}
