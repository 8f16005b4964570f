import { expect, test } from "vitest";
import { chatError } from "../../../src/client/errors.ts";
import { act, think, type AgentOptions } from "../../../src/systems/openmanus/tool-call-agent.ts";
import { given, pageOf, shown } from "../../client/bad-input/cells.ts";

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

/** Calls that the model asks for. */
const CALLED: readonly object[] = [
  named("f", '{"a":1}'),
  named("f", ""),
  named("f"),
  ...["object", "zero", "undefined", "null", "empty", "throws", "throws a text", "absent"].map((name) =>
    named(name, "{}"),
  ),
  named("f", "{"),
  named(""),
  named(5),
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

const THOUGHTS: Readonly<Record<string, readonly [answer: unknown, more?: Partial<AgentOptions>]>> = {
  calls: [{ content: null, tool_calls: CALLS }],
  "a text": [{ content: "Well." }],
  nothing: [{ content: "" }],
  "nothing when a call is required": [{ content: "" }, { toolChoice: "required" }],
  "calls when none is wanted": [{ content: "hm", tool_calls: CALLS }, { toolChoice: "none" }],
  "nothing when no call is wanted": [{ content: "", tool_calls: CALLS }, { toolChoice: "none" }],
  "no answer": [null],
  "the limit": [chatError("token-limit", "full")],
};

test("an agent's thoughts and actions equal OpenManus's, as the page beside this test has it [OM-29]", async () => {
  const { options } = agent(null, { tools: TOOLS });
  const page = await pageOf([
    ...Object.entries(THOUGHTS).map(
      ([what, [answer, more]]) =>
        [`a thought of ${what}`, async () => plain(await think(HI, agent(answer, more).options))] as const,
    ),
    ...CALLED.map((call) => {
      const thought = { added: [], toolCalls: [given(call)], acts: true, isFinished: false };
      return [`the call ${shown(call)}`, async () => plain(await act(thought, options))] as const;
    }),
  ]);

  // `vitest FILE -u` writes the page anew.
  await expect(page).toMatchFileSnapshot("agent.txt");
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
