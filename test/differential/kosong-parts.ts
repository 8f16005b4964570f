import {
  callableTool,
  dereference,
  dumpMessage,
  ensurePropertyTypes,
  extractText,
  generate,
  message,
  MockChatProvider,
  simpleToolset,
  toolCall,
  toolOk,
  type ContentPart,
  type ToolCall,
} from "../../src/systems/kosong/index.ts";
import { partFrom, type Shorthand } from "../systems/kosong/golden-parts.ts";
import { pick, seeded, type Random } from "../support/seeded.ts";
import { many, maybe } from "./random.ts";
import type { Differential } from "./system.ts";

interface PartsCase {
  readonly what: keyof typeof OURS;
  // oxlint-disable-next-line typescript/no-explicit-any -- each kind of case has a different shape
  readonly input: any;
}

/** Streams and what becomes of them, messages as they are written, schemas, and arguments that fit a schema or do not. */
export const kosongParts: Differential<PartsCase> = {
  name: "Parts, messages and schemas (kosong)",
  results: "kosong_parts.ndjson",
  caseOf(seed) {
    const random = seeded(seed);
    const what = pick(random, ["generate", "generate", "dump", "dereference", "type", "fit"] as const);
    return { what, input: CASES[what](random) };
  },
  documented: ({ what, input }, { ours, theirs }) =>
    what === "dereference" &&
    /"\$ref":"#/.test(JSON.stringify(theirs)) &&
    !JSON.stringify(ours).includes('"#')
      ? "references beside a reference are written out too"
      : invalidSchema({ what, input }, { ours, theirs }),
  async ours({ what, input }) {
    try {
      return await OURS[what](input);
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  },
};

interface Results {
  readonly ours: unknown;
  readonly theirs: unknown;
}

function invalidSchema({ what }: PartsCase, { ours, theirs }: Results): string | undefined {
  if (/PointerToNowhere|"Unresolvable: /.test(JSON.stringify(theirs)) && ours === "does not fit")
    return "a reference that leads nowhere or away does not fit, and is not thrown";
  const isRefused = what === "fit" && JSON.stringify(ours).includes("are no JSON Schema");
  return isRefused ? "faults of a schema are reported in a different wording" : undefined;
}

/* oxlint-disable typescript/no-explicit-any -- as in PartsCase */
const OURS = {
  async generate(parts: any): Promise<unknown> {
    const order: unknown[] = [];
    const provider = new MockChatProvider((parts as Shorthand[]).map(partFrom));
    const { message: made } = await generate(
      provider,
      { systemPrompt: "", tools: [], history: [] },
      {
        onMessagePart: (part) => void order.push(["part", part]),
        onToolCall: (call) => void order.push(["call", call]),
      },
    );
    return { message: dumpMessage(made, { nulls: true }), bare: dumpMessage(made), order };
  },
  dump({ role, name, content, tool_calls: calls }: any): unknown {
    const made = message({
      role,
      name,
      content: (content as Shorthand[]).map((part) => partFrom(part) as ContentPart),
      toolCalls: (calls as Shorthand[] | null)?.map((part) => partFrom(part) as ToolCall) ?? null,
    });
    return {
      whole: dumpMessage(made, { nulls: true }),
      bare: dumpMessage(made),
      text: extractText(made, "|"),
    };
  },
  dereference: (given: any): unknown => dereference(given),
  type: (given: any): unknown => ensurePropertyTypes(given),
  async fit({ schema: parameters, value: args }: any): Promise<unknown> {
    const tool = callableTool({ name: "f", description: "", parameters, call: () => toolOk("fits") });
    const call = toolCall("1", "f", { arguments: JSON.stringify(args) });
    const { returnValue } = await simpleToolset([tool]).handle(call);
    // The original reports the fault with excerpts, in many lines.
    return returnValue.isError ? "does not fit" : "fits";
  },
};
/* oxlint-enable typescript/no-explicit-any */

type Texts = readonly [string, ...string[]];
const WORDS: Texts = ["a", "文件", "😀", "", " ", "\n", "\u0085", "\ufeff", '{"a": 1', "}"];
const word = (random: Random): string => pick(random, WORDS);
const SIGNS = [null, "", "sig"] as const;

const value = (random: Random, depth = 2): unknown => {
  if (depth > 0 && random() < 0.2) return many(random, 2, () => value(random, depth - 1));
  if (depth > 0 && random() < 0.3)
    return Object.fromEntries(many(random, 3, (at) => [`k${at}`, value(random, depth - 1)]));
  return pick<unknown>(random, [word(random), 1, 0, -2, 1.5, true, false, null]);
};
const objectOf = (random: Random): object =>
  Object.fromEntries(many(random, 3, (at) => [`k${at}`, value(random)]));

const said = (random: Random): Shorthand =>
  pick<Shorthand>(random, [
    { t: "text", v: word(random) },
    { t: "text", v: word(random) },
    { t: "think", v: word(random), enc: pick(random, SIGNS) },
    { t: pick(random, ["image", "audio", "video"] as const), v: "u", id: maybe(random, 0.5, () => "i") },
  ]);
const called = (random: Random): Shorthand => ({
  t: "call",
  id: pick(random, ["1", "2"]),
  name: "f",
  args: maybe(random, 0.6, () => word(random)),
  ...(random() < 0.3 && { extras: objectOf(random) as Record<string, unknown> }),
});
const piece = (random: Random): Shorthand => ({ t: "part", v: maybe(random, 0.8, () => word(random)) });

const KEYWORDS: Readonly<Record<string, (random: Random, depth: number) => unknown>> = {
  type: (random) => pick(random, ["object", "array", "string", "integer", "number", "boolean", "null"]),
  enum: (random) => many(random, 3, () => value(random, 0)),
  const: (random) => value(random, 1),
  properties: (random, depth) => properties(random, depth),
  items: (random, depth) =>
    random() < 0.3 ? many(random, 2, () => schema(random, depth)) : schema(random, depth),
  additionalProperties: (random, depth) => pick<unknown>(random, [true, false, schema(random, depth)]),
  anyOf: (random, depth) => many(random, 2, () => schema(random, depth)),
  allOf: (random, depth) => many(random, 2, () => schema(random, depth)),
  prefixItems: (random, depth) => many(random, 2, () => schema(random, depth)),
  patternProperties: (random, depth) => ({ "^k": schema(random, depth) }),
  not: (random, depth) => schema(random, depth),
  required: (random) => many(random, 2, (at) => `k${at}`),
  minItems: () => 1,
  minLength: () => 1,
  minimum: () => 1,
  description: () => "d",
  $ref: (random) =>
    pick(random, ["#/$defs/A", "#/$defs/B", "#/definitions/A", "#/nowhere", "https://e.test/x"]),
};
const NAMES = Object.keys(KEYWORDS) as [string, ...string[]];

const properties = (random: Random, depth: number): object =>
  Object.fromEntries(many(random, 3, (at) => [`k${at}`, schema(random, depth)]));

function schema(random: Random, depth: number, names: readonly [string, ...string[]] = NAMES): object {
  if (depth <= 0) return { type: KEYWORDS["type"]?.(random, 0) };
  const chosen = many(random, 3, () => pick(random, names));
  return Object.fromEntries(chosen.map((name) => [name, KEYWORDS[name]?.(random, depth - 1)]));
}

/** What arguments are checked by; nothing that a valid schema may not have. */
const CHECKED: Texts = [
  ...(["type", "const", "properties", "additionalProperties", "required"] as const),
  ...(["minItems", "minLength", "minimum"] as const),
];

const CASES: Readonly<Record<keyof typeof OURS, (random: Random) => unknown>> = {
  generate: (random) => many(random, 9, () => pick(random, [said, said, called, piece, piece])(random)),
  dump: (random) => ({
    role: pick(random, ["user", "assistant", "tool", "system"]),
    name: maybe(random, 0.3, () => "n"),
    content: many(random, 3, () => said(random)),
    tool_calls: maybe(random, 0.4, () => many(random, 2, () => called(random))),
  }),
  dereference: (random) => ({
    ...schema(random, 3),
    // A schema that refers to itself has no end in the original.
    $defs: { A: schema(random, 2, PLAIN), B: { $ref: "#/$defs/A" } },
  }),
  type: (random) => schema(random, 4),
  fit: (random) => ({
    schema: {
      type: "object",
      properties: Object.fromEntries(many(random, 3, (at) => [`k${at}`, checked(random)])),
      ...strict(random),
    },
    value: objectOf(random),
  }),
};

const PLAIN: Texts = ["type", "description", "required", "const"];
const checked = (random: Random): object => schema(random, 2, CHECKED);
const strict = (random: Random): object => ({
  ...(random() < 0.4 && { required: ["k0"] }),
  ...(random() < 0.3 && { additionalProperties: false }),
});
