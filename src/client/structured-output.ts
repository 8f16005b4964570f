import { expectObject } from "./check-options.ts";
import { chatError, type ChatError } from "./errors.ts";
import { isFields } from "../core/base/lenient.ts";
import { showValue } from "./json/plain.ts";
import { schemaFaults } from "./json/schema-check.ts";
import type { OutputSchema, SelfDescribingSchema } from "./request.ts";
import type { JsonSchema } from "./tool.ts";
import { thrownText } from "../core/base/thrown-text.ts";

/** Whether a schema is zod's or another library's that can tell its JSON Schema. */
export function isSelfDescribing(schema: unknown): schema is SelfDescribingSchema {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  const standard: unknown = Reflect.get(schema, "~standard");
  return isFields(standard) && typeof standard["validate"] === "function" && isFields(standard["jsonSchema"]);
}

/** What is sent to the provider. @throws ChatError "validation" where the library cannot express its schema. */
export function jsonSchemaOf(given: OutputSchema): JsonSchema {
  expectObject(given, "output");
  const { schema } = given;
  if (!isSelfDescribing(schema)) return schema;
  try {
    const told = schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
    if (isFields(told)) return told;
  } catch (error) {
    const reason = thrownText(error);
    throw chatError("validation", `output.schema: it has no JSON Schema: ${reason}`, {
      where: "output.schema",
      cause: error,
    });
  }
  throw chatError("validation", "output.schema: it has no JSON Schema", { where: "output.schema" });
}

/**
 * The structured answer from the model's text: parsed, checked, and with zod's defaults filled in.
 * @throws ChatError "validation" with where = "reply", which a retry may mend.
 */
export async function readOutput(output: OutputSchema, text: string): Promise<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badOutput(`the answer is no JSON: ${showValue(text)}`, text, error);
  }
  return checkOutputValue(output, value, text);
}

/** As `readOutput`, for an answer that is parsed already (the arguments of a forced tool call); `text` is what was said. */
export async function checkOutputValue(
  given: OutputSchema,
  value: unknown,
  text = JSON.stringify(value),
): Promise<unknown> {
  expectObject(given, "output");
  const { schema } = given;
  if (!isSelfDescribing(schema)) {
    const faults = schemaFaults(schema, value);
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

/** Standard Schema has steps as bare keys or as `{ key }`. */
const stepOf = (step: unknown): string => String(isFields(step) && "key" in step ? step["key"] : step);

function badOutput(what: string, answer: string, cause?: unknown): ChatError {
  return chatError("validation", `The structured answer does not fit its schema: ${what}`, {
    where: "reply",
    retryable: true,
    answer,
    hint: "Ask again, or repair it with the wrapper repairingOutput.",
    cause,
  });
}
