import { expect, test } from "vitest";
import type { OutputSchema } from "../../../src/systems/agentscope/structured.ts";
import { failureOf } from "../../client/bad-input/cells.ts";
import {
  checkAnswer,
  getModelName,
  getSchema,
  type StructuredModel,
  createToolFromModel,
  warnOfDroppedTools,
} from "../../../src/systems/agentscope/structured.ts";

const model = (schema: object, name?: string): StructuredModel => ({
  schema: schema as OutputSchema["schema"],
  ...(name !== undefined && { name }),
});

test.each<readonly [schema: object, parameters: object]>([
  [{ title: "A", type: "object" }, { type: "object" }],
  [
    { properties: { title: { title: "Title", type: "string" }, n: 1 } },
    { properties: { title: { type: "string" }, n: 1 } },
  ],
  [
    { $defs: { title: { title: "T" } }, definitions: { title: { title: "T" } } },
    { $defs: { title: {} }, definitions: { title: {} } },
  ],
  [
    { patternProperties: { title: { title: "T" } }, dependentSchemas: { title: { title: "T" } } },
    { patternProperties: { title: {} }, dependentSchemas: { title: {} } },
  ],
  [{ items: { title: "T", type: "null" } }, { items: { type: "null" } }],
  [{ anyOf: [{ title: "T" }, true] }, { anyOf: [{}, true] }],
  [
    { default: { title: "x" }, const: { title: "x" }, enum: [{ title: "x" }], examples: [{ title: "x" }] },
    { default: { title: "x" }, const: { title: "x" }, enum: [{ title: "x" }], examples: [{ title: "x" }] },
  ],
  [{ $schema: "draft", type: "object" }, { type: "object" }],
])("a tool of the schema %j asks for %j: titles go, and names and data stay", (schema, parameters) => {
  expect(createToolFromModel(model(schema))).toEqual({
    type: "function",
    function: {
      name: "generate_structured_output",
      description: "Generate the required structured output with this function",
      parameters,
    },
  });
});

test("a schema keeps its titles when it is sent as one, but not the name of its dialect", () => {
  expect(getSchema(model({ $schema: "draft", title: "A", type: "object" }))).toEqual({
    title: "A",
    type: "object",
  });
});

test.each<readonly [schema: object, name: string | undefined, expected: string]>([
  [{}, undefined, "structured_output"],
  [{ title: "A b" }, undefined, "A_b"],
  [{ title: 5 }, undefined, "structured_output"],
  [{ title: "A" }, "given-1", "given-1"],
  [{ title: "é".repeat(70) }, undefined, "_".repeat(64)],
])("a schema %j that is called %j has the name %s", (schema, name, expected) => {
  expect(getModelName(model(schema, name))).toBe(expected);
});

test.each<readonly [what: string, schema: object, value: unknown, filled: unknown]>([
  ["a default where a member is missing", { properties: { a: { default: [1] } } }, {}, { a: [1] }],
  ["none where it is there", { properties: { a: { default: 1 } } }, { a: 2 }, { a: 2 }],
  ["none where there is none", { properties: { a: {} } }, { b: 1 }, { b: 1 }],
  [
    "those of a member's members",
    { properties: { a: { properties: { b: { default: 1 } } } } },
    { a: {} },
    { a: { b: 1 } },
  ],
  [
    "those of a list's items",
    { properties: { a: { items: { properties: { b: { default: null } } } } } },
    { a: [{}, { b: 1 }, 2] },
    { a: [{ b: null }, { b: 1 }, 2] },
  ],
  [
    "those behind a reference",
    {
      properties: { a: { $ref: "#/$defs/A" }, c: { $ref: "#/definitions/C" }, d: { $ref: "#/elsewhere/A" } },
      $defs: { A: { properties: { b: { default: 1 } } } },
      definitions: { C: { properties: { b: { default: 2 } } } },
      elsewhere: { A: { properties: { b: { default: 3 } } } },
    },
    { a: {}, c: {}, d: {} },
    { a: { b: 1 }, c: { b: 2 }, d: {} },
  ],
  [
    "names of every object's prototype",
    { properties: { constructor: { default: 1 } } },
    {},
    { constructor: 1 },
  ],
])("an answer is filled with %s", async (_, schema, value, filled) => {
  const before = structuredClone(value);

  expect(await checkAnswer(model(schema), value)).toEqual(filled);
  expect(value).toEqual(before);
});

test("a schema that refers to itself fills as deep as its value goes", async () => {
  const schema = {
    $ref: "#/$defs/N",
    $defs: { N: { properties: { n: { $ref: "#/$defs/N" }, v: { default: 0 } } } },
  };

  expect(await checkAnswer(model(schema), { n: { n: {} } })).toEqual({ n: { n: { v: 0 }, v: 0 }, v: 0 });
});

test("an answer that does not fit is refused with its place", async () => {
  const schema = { properties: { a: { type: "string" } } };

  expect(await failureOf(() => checkAnswer(model(schema), { a: 1 }))).toMatchObject({
    kind: "validation",
    message: expect.stringContaining('Expected "string" at /a') as string,
  });
});

test.each<readonly [call: object, told: number]>([
  [{}, 0],
  [{ tools: [] }, 0],
  [{ tools: [], toolChoice: "" }, 0],
  [{ tools: [{}] }, 1],
  [{ toolChoice: "auto" }, 1],
])("options that a structured call ignores are reported once: %j", (call, told) => {
  const said: unknown[] = [];
  warnOfDroppedTools(call, (line) => void said.push(line));

  expect(said).toHaveLength(told);
  for (const line of said)
    expect(line).toMatchObject({
      level: "warning",
      message: expect.stringMatching(/^structured_model is provided\. Both 'tools' and/u) as string,
    });
});
