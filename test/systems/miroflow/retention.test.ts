import { expect, test } from "vitest";
import { openAiProvider } from "../../../src/systems/miroflow/openai-provider.ts";
import { retainToolResults } from "../../../src/systems/miroflow/retention.ts";
import { OMITTED } from "../../../src/systems/miroflow/retention.ts";
import { goldenFile } from "../../client/golden.ts";
import { standIn } from "./stand-in.ts";

const golden = goldenFile("miroflow-retention");

golden.test(
  "old tool results are emptied, everything else stays unchanged [MF-10, MF-11, MF-12, MF-13, MF-14, MF-D4]",
  {
    run({ input }) {
      const log: unknown[] = [];
      const before = JSON.stringify(input.messages);
      const messages = retainToolResults(input.messages, input.keep_tool_result, {
        log: (...line) => log.push(line),
      });
      return { messages, input_unchanged: JSON.stringify(input.messages) === before, log };
    },
  },
);
golden.done();

test("results omitted from a request stay in the conversation [MF-15]", async () => {
  const history = ["task", "r1", "r2"].map((content) => ({ role: "user", content }));
  const { client, sent } = await standIn(openAiProvider, () => ({
    choices: [{ message: { content: "ok" } }],
  }));

  const { messageHistory } = await client.createMessage({
    systemPrompt: "",
    messageHistory: history,
    keepToolResult: 1,
  });

  expect(sent[0]?.["messages"]).toMatchObject([{ content: "task" }, { content: OMITTED }, { content: "r2" }]);
  expect(messageHistory).toEqual(history);
});

test("the rule for tool results can be replaced [MF-I4]", () => {
  const messages = ["task", "question", "r1", "r2"].map((content) => ({ role: "user", content }));
  const isToolResult = ({ content }: { content?: unknown }): boolean => content !== "question";

  const left = retainToolResults(messages, 1, { isToolResult });

  expect(left.map(({ content }) => content)).toEqual(["task", "question", OMITTED, "r2"]);
});

test("calls can be removed with their results, and none is left without one [MF-I5]", () => {
  const call = (id: string): object => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
  const openAi = [
    { role: "user", content: "task" },
    { role: "assistant", content: null, tool_calls: [call("a"), call("b")] },
    { role: "tool", tool_call_id: "a", content: "ra" },
    { role: "tool", tool_call_id: "b", content: "rb" },
    { role: "assistant", content: "hm", tool_calls: [call("c")] },
    { role: "tool", tool_call_id: "c", content: "rc" },
  ];
  const anthropic = [
    { role: "user", content: "task" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "x" },
        { type: "tool_use", id: "a" },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] },
    { role: "assistant", content: [{ type: "tool_use", id: "b" }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "b" }] },
  ];
  const texts = [
    { role: "user", content: "task" },
    { role: "assistant", content: "<use_mcp_tool>…" },
    { role: "user", content: "r1" },
    { role: "assistant", content: "<use_mcp_tool>…" },
    { role: "user", content: "r2" },
  ];

  expect(retainToolResults(openAi, 2, { how: "drop" })).toEqual([
    openAi[0],
    { role: "assistant", content: null, tool_calls: [call("b")] },
    ...openAi.slice(3),
  ]);
  expect(retainToolResults(openAi, 0, { how: "drop" })).toEqual([
    openAi[0],
    { role: "assistant", content: "hm" },
  ]);
  expect(retainToolResults(anthropic, 0, { how: "drop" })).toEqual([
    anthropic[0],
    { role: "assistant", content: [{ type: "text", text: "x" }] },
  ]);
  expect(retainToolResults(texts, 1, { how: "drop" })).toEqual([texts[0], texts[3], texts[4]]);
  expect(retainToolResults(texts.slice(0, 3).concat(texts[4]!), 1, { how: "drop" })).toEqual([
    texts[0],
    texts[4],
  ]);
});
