import { describe } from "vitest";
import { goldenFile, type GoldenRow } from "../../golden.ts";
import { seededSurroundings } from "../../../../src/client/surroundings.ts";
import {
  AnthropicChatModel,
  chatResponse,
  chatUsage,
} from "../../../../src/client/vocabularies/agentscope/index.ts";
import {
  anthropicToolChoice,
  geminiToolConfig,
  openaiToolChoice,
} from "../../../../src/client/adapters/request-parts.ts";
import { DASHSCOPE_COMPATIBLE, knownChoice } from "../../../../src/client/adapters/openai/chat/request.ts";
import { givenToolChoice } from "../../../../src/client/vocabularies/agentscope/tool-choice.ts";
import { toolFromModel } from "../../../../src/client/vocabularies/agentscope/structured.ts";
import { isChatError } from "../../../../src/client/errors.ts";
import { repairGrowingObject, repairObject } from "../../../../src/client/json/repair-json.ts";
import type { ToolChoice } from "../../../../src/client/tool.ts";
import { camel } from "./golden-words.ts";
import { comparable } from "./golden-text.ts";

const named = (start: string) => (row: GoldenRow) => row.name.startsWith(start);
const quiet = (): void => undefined;

describe("AgentScope's shared parts give what the original gave", () => {
  const shared = goldenFile("agentscope-shared");

  shared.test("a tool choice in each provider's words [AS-06, AS-07]", {
    rows: named("choice-"),
    run: ({ input }) => {
      const choice = givenToolChoice(input.tool_choice, toolsOf(input.tools), quiet);
      return choice === undefined ? null : mapped(input.provider, choice);
    },
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
    instead: {
      "AS-D9": () => ({
        error: {
          type: "validation",
          message: "Invalid tool_choice 'beta'. Available options: auto, none, required",
        },
      }),
    },
  });

  shared.test("a model of the answer becomes a tool [AS-08]", {
    rows: named("tool-from-model"),
    run: ({ input }) => toolFromModel({ schema: input.json_schema }),
  });

  shared.test("JSON that is not whole is repaired, and never goes backwards [AS-10]", {
    rows: ({ name }) => name.startsWith("repair") || name.startsWith("streaming-dict"),
    run: ({ name, input }) => {
      if (name.startsWith("repair")) return repairObject(input.text).value;
      return repairGrowingObject(input.text ?? "", input.text ? (input.last ?? undefined) : undefined).value;
    },
  });

  shared.test("responses and usage have the original's fields, ids and times [AS-01, AS-02, AS-03, AS-D7]", {
    rows: named("chat-response"),
    run: () => responseFacts(),
    instead: { "AS-D7": ({ expected }) => ({ ...expected, missing_attr: "undefined" }) },
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

function mapped(provider: string, choice: ToolChoice): unknown {
  if (provider === "anthropic") return anthropicToolChoice(choice);
  if (provider === "gemini") return geminiToolConfig(choice);
  return openaiToolChoice(
    provider === "dashscope" ? knownChoice(choice, DASHSCOPE_COMPATIBLE, quiet) : choice,
  );
}

function toolsOf(names: readonly string[] | null | undefined): unknown {
  return names?.map((name) => ({ type: "function", function: { name } })) ?? null;
}

function camelised(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelised);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [camel(name), camelised(item)]));
}
