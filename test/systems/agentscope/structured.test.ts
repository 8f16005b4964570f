import { expect, test } from "vitest";
import type { OutputSchema } from "../../../src/systems/agentscope/structured.ts";
import { pageOf, shown } from "../../client/bad-input/cells.ts";
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

const TITLED: readonly object[] = [
  { title: "A", type: "object" },
  { properties: { title: { title: "Title", type: "string" }, n: 1 } },
  { $defs: { title: { title: "T" } }, definitions: { title: { title: "T" } } },
  { patternProperties: { title: { title: "T" } }, dependentSchemas: { title: { title: "T" } } },
  { items: { title: "T", type: "null" } },
  { anyOf: [{ title: "T" }, true] },
  { default: { title: "x" }, const: { title: "x" }, enum: [{ title: "x" }], examples: [{ title: "x" }] },
  { $schema: "draft", type: "object" },
  { $schema: "draft", title: "A", type: "object" },
];

const NAMED: readonly (readonly [schema: object, name?: string])[] = [
  [{}],
  [{ title: "A b" }],
  [{ title: 5 }],
  [{ title: "A" }, "given-1"],
  [{ title: "é".repeat(70) }],
];

const ofA = (schema: object): object => ({ properties: { a: schema } });
const ofB = (value: unknown): object => ({ properties: { b: { default: value } } });
/** Schemas with defaults, and an answer that lacks some members. */
const FILLED: Readonly<Record<string, readonly [schema: object, value: unknown]>> = {
  "a default where a member is missing": [ofA({ default: [1] }), {}],
  "none where it is there": [ofA({ default: 1 }), { a: 2 }],
  "none where there is none": [ofA({}), { b: 1 }],
  "those of a member's members": [ofA(ofB(1)), { a: {} }],
  "those of a list's items": [ofA({ items: ofB(null) }), { a: [{}, { b: 1 }, 2] }],
  "those behind a reference": [
    {
      properties: { a: { $ref: "#/$defs/A" }, c: { $ref: "#/definitions/C" }, d: { $ref: "#/elsewhere/A" } },
      $defs: { A: ofB(1) },
      definitions: { C: ofB(2) },
      elsewhere: { A: ofB(3) },
    },
    { a: {}, c: {}, d: {} },
  ],
  "names of every object's prototype": [{ properties: { constructor: { default: 1 } } }, {}],
  "those of a schema that refers to itself": [
    {
      $ref: "#/$defs/N",
      $defs: { N: { properties: { n: { $ref: "#/$defs/N" }, v: { default: 0 } } } },
    },
    { n: { n: {} } },
  ],
  "nothing, since it does not fit": [ofA({ type: "string" }), { a: 1 }],
};

test("schemas become tools and names, and fill answers, as the page beside this test has it", async () => {
  const page = await pageOf([
    ...TITLED.map(
      (schema) => [`the tool of ${shown(schema)}`, () => createToolFromModel(model(schema))] as const,
    ),
    ...TITLED.map((schema) => [`sent as one: ${shown(schema)}`, () => getSchema(model(schema))] as const),
    ...NAMED.map((named) => [`the name of ${shown(named)}`, () => getModelName(model(...named))] as const),
    ...Object.entries(FILLED).map(
      ([what, [schema, value]]) => [`filled with ${what}`, () => filled(schema, value)] as const,
    ),
  ]);

  // `vitest FILE -u` writes the page anew.
  await expect(page).toMatchFileSnapshot("structured.txt");
});

async function filled(schema: object, value: unknown): Promise<unknown> {
  const before = structuredClone(value);
  const answer: unknown = await checkAnswer(model(schema), value);
  expect(value).toEqual(before);
  return answer;
}

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
