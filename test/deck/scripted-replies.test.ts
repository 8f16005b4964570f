import { expect, test } from "vitest";
import { aProject, chatOf } from "./a-project.ts";

interface Completion {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly choice: { readonly message?: unknown; readonly finish_reason?: string };
  readonly usage: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message?: string };
}

/** Returns the completion that a script of this one reply gives. */
async function saidOf(reply: object): Promise<Completion> {
  const project = aProject();
  await project.say({ lenient: { script: [reply] } });
  const { reply: answer } = await project.post(chatOf(["hi"]), { mode: "lenient" });
  const { choices = [{}], usage = {}, error } = JSON.parse(await answer.text());
  return {
    status: answer.status,
    retryAfter: answer.headers.get("retry-after"),
    choice: choices[0],
    usage,
    error,
  };
}

const called = (id: string, name: string, text: string): object => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

test("calls of a script have ids by their position by default, and arguments as text or JSON", async () => {
  const toolCalls = [
    { name: "f" },
    { name: "g", arguments: { a: 1 } },
    { name: "h", arguments: '{"a": oops', id: "mine" },
  ];

  const { choice } = await saidOf({ reply: { text: "so", toolCalls } });

  expect(choice).toMatchObject({
    finish_reason: "tool_calls",
    message: {
      content: "so",
      tool_calls: [
        called("call_1", "f", "{}"),
        called("call_2", "g", '{"a":1}'),
        called("mine", "h", '{"a": oops'),
      ],
    },
  });
});

test("calls of a script without a text have none", async () => {
  const { choice } = await saidOf({ reply: { toolCalls: [{ name: "f" }] } });

  expect(choice.message).toMatchObject({ content: null, tool_calls: [called("call_1", "f", "{}")] });
});

test("a script's reply in kosong's echo language is expanded", async () => {
  const { choice, usage } = await saidOf({ kosong: "text: a\ntext: b\nusage: input_other=3 output=2" });

  expect(choice).toMatchObject({ finish_reason: "stop", message: { content: "ab" } });
  expect(usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 2 });
});

test.each<readonly [reply: object, finish: string, input: number, output: number]>([
  [{ usage: { inputTokens: 5, outputTokens: 7 } }, "stop", 5, 7],
  [{ usage: { outputTokens: 7 } }, "stop", 0, 7],
  [{ usage: { inputTokens: 5 } }, "stop", 5, 0],
  [{ finish: "length", usage: {} }, "length", 0, 0],
  [{ finish: "content-filter", usage: {} }, "content_filter", 0, 0],
])("a reply %j ends with %s and took %i and %i tokens", async (reply, finish, input, output) => {
  const { choice, usage } = await saidOf({ reply: { text: "a", ...reply } });

  expect(choice).toMatchObject({ finish_reason: finish, message: { content: "a" } });
  expect(usage).toMatchObject({ prompt_tokens: input, completion_tokens: output });
});

test.each<readonly [reply: object, status: number, retryAfter: string | null, says: string]>([
  [{ status: 503 }, 503, null, "The mock answers with 503."],
  [{ status: 429, message: "slow down", retryAfter: 1.5 }, 429, "1.5", "slow down"],
])("a script's failure %j is one of the provider's", async (reply, status, retryAfter, says) => {
  const said = await saidOf(reply);

  expect([said.status, said.retryAfter]).toEqual([status, retryAfter]);
  expect(said.error?.message).toContain(says);
});
