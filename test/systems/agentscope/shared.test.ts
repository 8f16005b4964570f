import { describe, expect, test } from "vitest";
import { goldenFile, type GoldenRow } from "../../client/golden.ts";
import { seededSurroundings } from "../../../src/client/surroundings.ts";
import {
  AnthropicChatModel,
  chatResponse,
  chatUsage,
  generatedId,
} from "../../../src/systems/agentscope/index.ts";
import { createToolFromModel } from "../../../src/systems/agentscope/structured.ts";
import { isChatError } from "../../../src/client/errors.ts";
import { repairGrowingObject, repairObject } from "../../../src/client/json/repair-json.ts";
import { camel } from "./golden-words.ts";
import { answering, type Provider } from "./scripted-models.ts";
import { comparable } from "./golden-text.ts";

const named = (start: string) => (row: GoldenRow) => row.name.startsWith(start);

describe("AgentScope's shared parts match the original", () => {
  const shared = goldenFile("agentscope-shared");

  shared.test("a tool choice in each provider's words [AS-06, AS-07]", {
    rows: named("choice-"),
    run: ({ input }) => sentChoice(input.provider, input.tool_choice, toolsOf(input.tools)),
    reduce: (value) => camelised(value),
  });

  shared.test("a tool choice is checked before anything is sent [AS-05, AS-D9]", {
    rows: named("validate-"),
    run: ({ input }) => {
      const model = new AnthropicChatModel({ modelName: "m" });
      const choice = model.validateToolChoice(input.tool_choice, toolsOf(input.tools));
      return typeof choice === "string" ? choice : choice.tool;
    },
    errorOf: (error) => ({
      error: { type: isChatError(error) && error.kind, message: (error as Error).message },
    }),
    reduce: comparable,
  });

  shared.test("a model of the answer becomes a tool [AS-08]", {
    rows: named("tool-from-model"),
    run: ({ input }) => createToolFromModel({ schema: input.json_schema }),
  });

  shared.test("JSON that is not whole is repaired, and never goes backwards [AS-10]", {
    rows: ({ name }) => name.startsWith("repair") || name.startsWith("streaming-dict"),
    run: ({ name, input }) => {
      if (name.startsWith("repair")) return repairObject(input.text).value;
      const before = input.text && input.last ? repairObject(JSON.stringify(input.last)) : undefined;
      return repairGrowingObject(input.text ?? "", before).value;
    },
  });

  shared.test("responses and usage have the original's fields, ids and times [AS-01, AS-02, AS-03, AS-D7]", {
    rows: named("chat-response"),
    run: () => responseFacts(),
  });

  shared.done();
});

function responseFacts(): unknown {
  const surroundings = seededSurroundings(3, Date.UTC(2026, 4, 6));
  const [first, second] = [chatResponse({}, surroundings), chatResponse({}, surroundings)];
  first["extra"] = 1;
  return {
    default: { ...first, id: "$generated", created_at: "$now" },
    key_access: first["type"],
    attr_access: first.type,
    is_dict: typeof first === "object",
    set_by_key_read_by_attr: first["extra"],
    usage: chatUsage({ input_tokens: 1, output_tokens: 2, time: 0.5 }),
    ids_differ: first.id !== second.id,
    id_pattern: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}_[0-9a-f]{6}$/.test(first.id),
    created_pattern: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/.test(first.created_at),
    missing_attr: String(first["nope"]),
  };
}

/** The tool choice of the request that a provider's own model sends. */
async function sentChoice(
  provider: Provider,
  toolChoice: unknown,
  tools: readonly unknown[] | null,
): Promise<unknown> {
  const { model, sent } = answering(provider, { status_code: 200 });
  await model.call([{ role: "user", content: "hi" }], { toolChoice, tools });
  const [request] = sent as readonly SdkRequest[];
  return request?.tool_choice ?? request?.config?.toolConfig ?? null;
}

interface SdkRequest {
  readonly tool_choice?: unknown;
  readonly config?: { readonly toolConfig?: unknown };
}

function toolsOf(names: readonly string[] | null | undefined): readonly object[] | null {
  return names?.map((name) => ({ type: "function", function: { name } })) ?? null;
}

function camelised(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelised);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [camel(name), camelised(item)]));
}

test("an id contains the local time with the month", () => {
  const now = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();

  expect(generatedId({ now: () => now, id: () => "abcdef01" })).toBe("2026-01-02 03:04:05.006_abcdef");
});
