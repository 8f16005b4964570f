import { expect, test } from "vitest";
import {
  dereference,
  dumpMessage,
  dumpToolResult,
  ensurePropertyTypes,
  message,
  MockChatProvider,
  simpleToolset,
  step,
  textPart,
  toolOk,
  type CallableTool,
  type ToolReturnValue,
} from "../../../src/systems/kosong/index.ts";
import { goldenFile, type GoldenRow } from "../../client/golden.ts";
import { partFrom, type Shorthand } from "./golden-parts.ts";

const golden = goldenFile("kosong-step");
const named = (prefix: string) => (row: GoldenRow) => row.name.startsWith(prefix);

/** The tools that the rows were made with. `slow` ends when the others have had their turn. */
function toolsNamed(names: readonly string[]): CallableTool[] {
  const number = { type: "integer" };
  const all: CallableTool[] = [
    {
      name: "plus",
      description: "",
      parameters: { type: "object", properties: { a: number, b: number }, required: ["a", "b"] },
      call: ([given]) => {
        const { a, b } = given as { a: number; b: number };
        return toolOk(String(a + b));
      },
    },
    { name: "boom", description: "", parameters: {}, call: () => Promise.reject(new Error("kaput")) },
    { name: "odd", description: "", parameters: {}, call: () => 7 as unknown as ToolReturnValue },
    {
      name: "slow",
      description: "",
      parameters: {},
      call: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return toolOk("slow done", { message: "m", brief: "b" });
      },
    },
    {
      name: "arr",
      description: "",
      parameters: { type: "array" },
      call: (args) => toolOk(textPart(`(${args.join(", ")})`)),
    },
  ];
  return all.filter(({ name }) => names.some((shown) => shown.startsWith(`${name}(`)));
}

golden.test("a step runs its tools as the original does [KO-33, KO-34, KO-36, KO-37, KO-38, KO-D3]", {
  rows: named("step-"),
  run: async ({ input }) => {
    const provider = new MockChatProvider((input.parts as Shorthand[]).map(partFrom));
    const history = [message({ role: "user", content: "go" })];
    const order: string[] = [];

    const result = await step(provider, simpleToolset(toolsNamed(input.tools)), {
      systemPrompt: "",
      history,
      onMessagePart: () => void order.push("part"),
      onToolResult: ({ toolCallId }) => void order.push(`result:${toolCallId}`),
    });
    const results = await result.toolResults();

    return {
      message: dumpMessage(result.message, { nulls: true }),
      tool_calls: result.toolCalls.map(({ id }) => id),
      results: results.map(dumpToolResult),
      order,
      history_len: history.length,
      id: result.id,
      usage: result.usage,
    };
  },
  reduce: (value) => JSON.parse(JSON.stringify(value, withoutLibraryTexts)) as unknown,
});

/** Of texts that come from a validation library or show a Python type, only the beginning is required. */
function withoutLibraryTexts(name: string, value: unknown): unknown {
  if (name !== "message" || typeof value !== "string") return value;
  return /^(?:Error validating JSON arguments|Invalid return type): /.exec(value)?.[0] ?? value;
}

golden.test("missing types of properties are filled in [KO-40]", {
  rows: named("ensure-types"),
  run: ({ input }) => ensurePropertyTypes(input),
});

golden.test("local references are written out [KO-40]", {
  rows: named("deref"),
  run: ({ input }) => dereference(input),
  errorOf: (error) => ({ error: { type: "ValueError", message: (error as Error).message } }),
});

golden.done();

test("only the parts that kosong reads get types: no prefix items, no definitions [KO-40]", () => {
  const untyped = { prefixItems: [{}], patternProperties: { "^a": {} }, $defs: { A: {} } };
  const items = [{}, { enum: [1] }];

  expect(ensurePropertyTypes({ ...untyped, items })).toEqual({
    ...untyped,
    items: [{ type: "string" }, { enum: [1], type: "integer" }],
  });
});
