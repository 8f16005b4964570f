import { expect, expectTypeOf, test } from "vitest";
import { lastResponse, OpenAIChatModel } from "../../src/systems/agentscope/index.ts";
import { callableTool, simpleToolset, toolCall, toolOk } from "../../src/systems/kosong/index.ts";
import { memoryCache, MockLLM } from "../../src/systems/metagpt/index.ts";
import { parseToolCalls } from "../../src/systems/miroflow/index.ts";
import { act, type AgentTool, assistantMessage, think, LLM } from "../../src/systems/openmanus/index.ts";

/** Users of the five systems read results and arguments as below, without a cast. */

const CALL = { id: "c", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } };

function openManusAnswering(message: object): LLM {
  const settings = { model: "gpt-4o", base_url: "", api_key: "none", max_tokens: 9, max_input_tokens: 99 };
  return new LLM({
    settings: { ...settings, temperature: 0, api_type: "", api_version: "" },
    completions: { create: async () => ({ choices: [{ message }] }) },
    countText: (text) => text.length,
  });
}

test("OpenManus: the tool calls of a message and the arguments of a tool have types", async () => {
  const llm = openManusAnswering({ role: "assistant", content: null, tool_calls: [CALL] });

  const message = await llm.askTool([{ role: "user", content: "?" }]);
  const [call] = message?.tool_calls ?? [];
  const name = call?.function.name;
  expectTypeOf(name).toEqualTypeOf<string | undefined>();
  expectTypeOf(message?.content).toEqualTypeOf<string | null | undefined>();
  expect([name, message?.content]).toEqual(["weather", null]);
  expect(assistantMessage(null, message?.tool_calls ?? []).tool_calls).toEqual([CALL]);

  const weather: AgentTool = {
    definition: { type: "function", function: { name: "weather" } },
    run: ({ city }: { readonly city: string }) => `Sun in ${city.toUpperCase()}`,
  };
  const options = { llm, tools: [weather] };
  const thought = await think([{ role: "user", content: "?" }], options);
  expect(thought.toolCalls.map(({ function: { arguments: args } }) => args.length)).toEqual([15]);
  const [result] = await act(thought, options);
  expect(result?.["content"]).toContain("Sun in ROME");
});

test("MetaGPT: a code answer has a language and code", async () => {
  const answer = { language: "python", code: "print(1)" };
  const llm = new MockLLM({ cache: memoryCache([]), onMiss: { default: answer } });

  const { language, code } = await llm.aaskCode("?");

  expectTypeOf(code).toEqualTypeOf<string | undefined>();
  expect([language?.length, code?.length]).toEqual([6, 8]);
});

test("kosong: a tool declares the types of its arguments", async () => {
  const tool = callableTool({
    name: "weather",
    description: "",
    parameters: { type: "object" },
    call: ([{ city }]: readonly [{ readonly city: string }]) => toolOk(city.toUpperCase()),
  });

  const result = await simpleToolset([tool]).handle(
    toolCall("c", "weather", { arguments: '{"city":"Rome"}' }),
  );

  expectTypeOf(result.returnValue.output).not.toBeUnknown();
  expect(result.returnValue.output).toBe("ROME");
});

test("AgentScope: blocks tell their fields by their type", async () => {
  const message = { role: "assistant", content: null, tool_calls: [CALL] };
  const fetch = async (): Promise<Response> => Response.json({ id: "r", choices: [{ message }] });
  const model = new OpenAIChatModel({ modelName: "m", stream: false, connection: { fetch, apiKey: "k" } });

  const response = await lastResponse(await model.call([{ role: "user", content: "?" }]));

  const inputs = response?.content.flatMap((block) => (block.type === "tool_use" ? [block.input] : []));
  expect(inputs?.map(({ ["city"]: city }) => city)).toEqual(["Rome"]);
});

test("MiroFlow: a tool call's arguments are read by name", () => {
  const [call] = parseToolCalls([CALL]);

  expectTypeOf(call?.arguments).not.toBeUnknown();
  expect(call?.arguments["city"]).toBe("Rome");
});
