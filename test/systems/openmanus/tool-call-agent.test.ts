import { expect, test } from "vitest";
import { chatError } from "../../../src/client/errors.ts";
import { act, think, type AgentOptions } from "../../../src/systems/openmanus/tool-call-agent.ts";
import { given } from "../../client/bad-input/cells.ts";

const HI = [{ role: "user", content: "hi" }];
const named = (name: unknown, args?: unknown): object => ({
  id: `c-${String(name)}`,
  function: { name, arguments: args },
});
const CALLS = [named("f", '{"a":1}')];

const tool = (name: string, run: (args: object) => unknown): AgentOptions["tools"][number] => ({
  definition: { type: "function", function: { name } },
  run,
});
const TOOLS = [
  tool("f", (args) => JSON.stringify(args)),
  tool("object", () => ({ a: [1] })),
  tool("zero", () => 0),
  tool("undefined", () => undefined),
  tool("null", () => null),
  tool("empty", () => ""),
  tool("throws", () => Promise.reject(new Error("broke"))),
  tool("throws a text", () => Promise.reject("broke")),
];

/** Removes the marks of messages, which are not compared. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** An agent whose model gives one answer, and what it was asked. */
function agent(
  answer: unknown,
  more: Partial<AgentOptions> = {},
): { options: AgentOptions; asked: unknown[] } {
  const asked: unknown[] = [];
  const askTool = async (messages: unknown, options: unknown): Promise<never> => {
    asked.push([messages, options]);
    if (answer instanceof Error) throw answer;
    return given(answer);
  };
  return { options: { llm: { askTool }, tools: TOOLS.slice(0, 1), ...more }, asked };
}

test.each<readonly [what: string, answer: unknown, more: Partial<AgentOptions>, thought: object]>([
  [
    "calls",
    { content: null, tool_calls: CALLS },
    {},
    { added: [{ content: "", tool_calls: CALLS }], toolCalls: CALLS, acts: true },
  ],
  ["a text", { content: "Well." }, {}, { added: [{ content: "Well." }], toolCalls: [], acts: true }],
  ["nothing", { content: "" }, {}, { added: [{ content: "" }], toolCalls: [], acts: false }],
  [
    "nothing when a call is required",
    { content: "" },
    { toolChoice: "required" },
    { added: [{ content: "" }], toolCalls: [], acts: true },
  ],
  [
    "calls when none is wanted",
    { content: "hm", tool_calls: CALLS },
    { toolChoice: "none" },
    { added: [{ content: "hm" }], toolCalls: [], acts: true },
  ],
  [
    "nothing when no call is wanted",
    { content: "", tool_calls: CALLS },
    { toolChoice: "none" },
    { added: [], toolCalls: [], acts: false },
  ],
  [
    "no answer",
    null,
    {},
    {
      added: [{ content: "Error encountered while processing: No response received from the LLM" }],
      toolCalls: [],
      acts: false,
    },
  ],
  [
    "the limit",
    chatError("token-limit", "full"),
    {},
    {
      added: [{ content: "Maximum token limit reached, cannot continue execution: full" }],
      toolCalls: [],
      acts: false,
      isFinished: true,
    },
  ],
])("an agent's thought of %s equals OpenManus's [OM-29]", async (_, answer, more, thought) => {
  const { added, isFinished = false, ...rest } = thought as { added: object[]; isFinished?: boolean };

  expect(plain(await think(HI, agent(answer, more).options))).toEqual({
    added: added.map((message) => ({ role: "assistant", ...message })),
    isFinished,
    ...rest,
  });
});

test("a thought sends the tools, the choice, and the system prompt, and fails as the call fails", async () => {
  const bare = agent({ content: "a" });
  const full = agent({ content: "a" }, { toolChoice: "required", systemMsgs: HI });

  await think(HI, bare.options);
  await think(HI, full.options);

  const tools = [{ type: "function", function: { name: "f" } }];
  expect(bare.asked).toEqual([[HI, { tools, toolChoice: "auto" }]]);
  expect(full.asked).toEqual([[HI, { tools, toolChoice: "required", systemMsgs: HI }]]);
  await expect(think(HI, agent(chatError("timeout", "late")).options)).rejects.toMatchObject({
    kind: "timeout",
  });
});

test.each<readonly [call: object, content: string]>([
  [named("f", '{"a":1}'), 'Observed output of cmd `f` executed:\n{"a":1}'],
  [named("f", ""), "Observed output of cmd `f` executed:\n{}"],
  [named("f"), "Observed output of cmd `f` executed:\n{}"],
  [named("object", "{}"), 'Observed output of cmd `object` executed:\n{"a":[1]}'],
  [named("zero", "{}"), "Observed output of cmd `zero` executed:\n0"],
  [named("undefined", "{}"), "Cmd `undefined` completed with no output"],
  [named("null", "{}"), "Cmd `null` completed with no output"],
  [named("empty", "{}"), "Cmd `empty` completed with no output"],
  [named("throws", "{}"), "Error: ⚠️ Tool 'throws' encountered a problem: broke"],
  [named("throws a text", "{}"), "Error: ⚠️ Tool 'throws a text' encountered a problem: broke"],
  [named("absent", "{}"), "Error: Unknown tool 'absent'"],
  [named("f", "{"), "Error: Error parsing arguments for f: Invalid JSON format"],
  [named(""), "Error: Invalid command format"],
  [named(5), "Error: Invalid command format"],
])("the call %j is executed, and its result reported as OpenManus does [OM-29]", async (call, content) => {
  const { options } = agent(null, { tools: TOOLS });
  const { id, function: called } = call as { id: string; function: { name: unknown } };
  const thought = { added: [], toolCalls: [given(call)], acts: true, isFinished: false };

  const [result, ...more] = await act(thought, options);

  expect(more).toEqual([]);
  expect(plain(result)).toEqual({
    role: "tool",
    content,
    name: typeof called.name === "string" ? called.name : "",
    tool_call_id: id,
  });
});

test("results are cut by characters, have the ids of their calls, and are none without calls", async () => {
  const { options } = agent(null, { tools: [tool("f", () => "😀😀😀")], maxObserve: 38 });
  const thought = (toolCalls: readonly unknown[]) => ({
    added: [],
    toolCalls: given(toolCalls),
    acts: true,
    isFinished: false,
  });

  expect(await act(thought([{ function: { name: "f" } }]), options)).toMatchObject([
    { content: "Observed output of cmd `f` executed:\n😀", tool_call_id: "" },
  ]);
  expect(await act(thought([]), options)).toEqual([]);
  await expect(act(thought([]), { ...options, toolChoice: "required" })).rejects.toThrow(
    "Tool calls required but none provided",
  );
});
