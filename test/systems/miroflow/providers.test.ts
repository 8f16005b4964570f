import { expect, test } from "vitest";
import { chatError } from "../../../src/client/errors.ts";
import { anthropicProvider, applyCacheControl } from "../../../src/systems/miroflow/anthropic-provider.ts";
import { clientFactory } from "../../../src/systems/miroflow/client.ts";
import { ensureSummaryContext } from "../../../src/systems/miroflow/guard.ts";
import { openAiProvider } from "../../../src/systems/miroflow/openai-provider.ts";
import type { MiroProvider } from "../../../src/systems/miroflow/provider.ts";
import { tryAgain } from "../../../src/systems/miroflow/try-again.ts";
import { openAiUsage } from "../../../src/systems/miroflow/usage.ts";
import { readFirstChoice } from "../../../src/client/wire/completions.ts";
import { goldenFile, type GoldenRow } from "../../client/golden.ts";
import { config, failure, plain, scriptOf, standIn } from "./stand-in.ts";

const golden = goldenFile("miroflow-providers");
const TASK = { role: "user", content: "task" };

golden.test(
  "the OpenAI-style provider sends, waits and tries again as MiroFlow's [MF-29, MF-30, MF-31, MF-32, MF-33, MF-34, MF-35]",
  { rows: ({ name }) => name.startsWith("openai-"), run: askOpenAi, reduce: withoutErrorType },
);

golden.test("the Anthropic-style provider sends, waits and tries again as MiroFlow's [MF-38, MF-D13]", {
  rows: ({ name }) => name.startsWith("anthropic-"),
  run: askAnthropic,
  reduce: withoutErrorType,
});

golden.test("only the last user message is marked for the cache, and on a copy [MF-39, MF-D15]", {
  rows: ({ name }) => name.startsWith("cache-control-"),
  run({ input }) {
    const log: unknown[] = [];
    const before = JSON.stringify(input);
    const messages = applyCacheControl(input, (...line) => log.push(line));
    return { messages, input_unchanged: JSON.stringify(input) === before, log };
  },
});

golden.test("the context guard takes the last turn back at the limit [MF-41, MF-42, MF-D8, MF-D9]", {
  rows: ({ name }) => name.startsWith("guard-"),
  run: guard,
  // Inputs are never changed, so a conversation that was taken back is a new list.
  reduce: (value) => ({ ...(value as object), same_list: undefined }),
});

golden.test("answers are read and added to the conversation [MF-36, MF-40, MF-D12]", {
  rows: ({ name }) => name.startsWith("process-"),
  async run({ name, input }) {
    const { client, log } = await standIn(
      name.includes("openai") ? openAiProvider : anthropicProvider,
      () => ({}),
    );
    const { text, shouldBreak, messageHistory } = client.processLlmResponse(plain(input), [
      { role: "user", content: "t" },
    ]);
    return { text, should_break: shouldBreak, history: messageHistory, log };
  },
});

golden.test("the texts of tool results become one message of the user's [MF-37]", {
  rows: ({ name }) => name.startsWith("update-history-"),
  async run({ name, input }) {
    const { client } = await standIn(
      name.includes("OpenAI") ? openAiProvider : anthropicProvider,
      () => ({}),
    );
    return client.updateMessageHistory([{ role: "user", content: "t" }], input);
  },
});
golden.done();

async function askOpenAi({ input }: GoldenRow): Promise<unknown> {
  const { script, history = [TASK], system = "SYS", keep_tool_result: keepToolResult = -1, llm = {} } = input;
  const next = scriptOf(script);
  const send = (): object => {
    const { raise, text, finish = "stop", content } = next();
    if (raise !== undefined) throw failure(raise, text);
    const choices = [{ finish_reason: finish, message: { role: "assistant", content } }];
    return { choices, usage: { prompt_tokens: 10, completion_tokens: 5 } };
  };
  const { client, sent, log, world } = await standIn(openAiProvider, send, { cfg: config(llm) });
  const before = JSON.stringify(history);
  const ended = await client
    .createMessage({ systemPrompt: system, messageHistory: history, keepToolResult })
    .then(({ response, messageHistory }) =>
      client.lastError === undefined
        ? {
            // As the rows have it: its beginning.
            content: readFirstChoice(response)?.content?.slice(0, 60) ?? null,
            finish: readFirstChoice(response)?.finishReason,
            history_is_the_given_one: JSON.stringify(messageHistory) === before,
            history_unchanged: JSON.stringify(history) === before,
          }
        : { error: { message: client.lastError.message } },
    )
    .catch(({ message }: Error) => ({ error: { message } }));
  return {
    ...ended,
    first_request: sent[0],
    request_count: sent.length,
    max_tokens: sent.map((params) => params["max_tokens"] ?? params["max_completion_tokens"]),
    sleeps: world.slept.map((ms) => ms / 1000),
    log_steps: log.map(([, step]) => step).filter((step) => !step.startsWith("FATAL")),
    total_input_tokens: client.getTokenUsage().total_input_tokens,
  };
}

async function askAnthropic({ input }: GoldenRow): Promise<unknown> {
  const {
    failures = 0,
    messages = [{ role: "user", content: [{ type: "text", text: "t" }] }],
    llm = {},
  } = input;
  let tries = 0;
  const send = (): object => {
    tries += 1;
    if (tries <= failures) throw failure("server", `E${tries}`);
    return { content: [{ type: "text", text: "hi" }] };
  };
  const { client, sent, world } = await standIn(anthropicProvider, send, {
    cfg: config({ provider: "anthropic", ...llm }),
  });
  const before = JSON.stringify(messages);
  const { messageHistory } = await client.createMessage({ systemPrompt: "SYS", messageHistory: messages });
  const ended =
    client.lastError === undefined
      ? { ok: true, history_is_the_given_one: JSON.stringify(messageHistory) === before }
      : { error: { message: client.lastError.message } };
  return {
    ...ended,
    first_request: { top_p: "$not_given", top_k: "$not_given", ...sent[0] },
    request_count: sent.length,
    sleeps: world.slept.map((ms) => ms / 1000),
    caller_history_after: messages,
    same_as_before: JSON.stringify(messages) === before,
  };
}

/** Error kinds are Tapedeck's; a cancellation has its own text. */
function withoutErrorType(value: unknown): unknown {
  const { error, ...rest } = value as { error?: { message?: string; cause?: string } };
  return error === undefined ? rest : { ...rest, error: error.message ?? error.cause };
}

function guard({ input }: GoldenRow): unknown {
  const log: unknown[] = [];
  const { history, continues } = ensureSummaryContext(input.history, "summary", {
    lastCall: input.last_call,
    maxTokens: input.max_tokens,
    maxContextLength: input.max_context_length,
    countTokens: (text) => (text === "summary" ? input.summary_text_tokens : input.last_user_text_tokens),
    log: (...line) => log.push(line),
  });
  return { continue: continues, history, log };
}

test("where counting fails, four characters are a token, and the guard reads lists as Python shows them [MF-41]", () => {
  const log: string[] = [];
  const count = (text: string): number => {
    if (text.startsWith("[")) throw new Error("no encoding");
    return 0;
  };
  const content = [{ type: "text", text: "1234567" }];

  ensureSummaryContext([{ role: "user", content }], "s", {
    lastCall: {},
    maxTokens: 0,
    maxContextLength: 5000,
    countTokens: count,
    log: (_level, _step, message) => log.push(message),
  });

  // [{'type': 'text', 'text': '1234567'}] has 37 characters: 9 tokens, and half as many again.
  expect(log).toEqual(["Error: no encoding", "1013/5000"]);
});

test("no try begins that the total time cannot hold [MF-I3]", async () => {
  const { client, sent, world } = await standIn(openAiProvider, () => fail(), {
    totalTimeoutS: 100,
    limits: { waitMs: 30_000, tryMs: 20_000 },
  });

  await client.createMessage({ systemPrompt: "", messageHistory: [TASK] });

  expect(sent).toHaveLength(3);
  expect(world.slept).toEqual([30_000, 30_000]);
  expect(client.lastError).toMatchObject({ message: "boom", tries: 3 });
});

test("an error of an earlier call is gone after an answer", async () => {
  const answers = [
    (): never => {
      throw chatError("not-recorded", "no recording");
    },
    () => ({ choices: [{ message: { content: "hi" }, finish_reason: "stop" }] }),
  ];
  const { client } = await standIn(openAiProvider, () => answers.shift()?.());
  const ask = () => client.createMessage({ systemPrompt: "", messageHistory: [TASK] });

  await ask();
  expect(client.lastError?.message).toBe("no recording");
  await ask();
  expect(client.lastError).toBeUndefined();
});

test("answers with other finish reasons are handled, and their tool calls parsed [MF-D12]", async () => {
  const { client } = await standIn(openAiProvider, () => ({}));
  const calls = [{ id: "1", function: { name: "srv-run", arguments: '{"a":1,"b":null}' } }];
  const response = {
    choices: [{ finish_reason: "tool_calls", message: { content: null, tool_calls: calls } }],
  };

  const processed = client.processLlmResponse(response, []);

  expect(processed).toEqual({
    text: "",
    shouldBreak: false,
    messageHistory: [{ role: "assistant", content: "", tool_calls: calls }],
  });
  expect(client.extractToolCallsInfo(response, "")).toEqual([
    { server_name: "srv", tool_name: "run", arguments: { a: 1 }, id: "1" },
  ]);
});

test("a new provider needs four functions, and the same tests run against it [MF-I9]", async () => {
  const own: MiroProvider = {
    connect: async () => ({
      client: {},
      send: async () => ({ said: "hello", usage: { prompt_tokens: 4, completion_tokens: 1 } }),
    }),
    createMessage: async (call) => {
      const onError = (): boolean => true;
      const response = await tryAgain(call, { tries: 2, waitMs: 1, onError }, async () => {
        const answer = await call.connection.send({}, { signal: call.signal });
        call.onUsage(answer);
        return { done: answer };
      });
      return { response, history: call.history };
    },
    mapUsage: (response) => openAiUsage((response as { usage: unknown }).usage),
    parseAnswer: (response) => {
      const { said } = response as { said: string };
      return { text: said, shouldBreak: false, message: { role: "assistant", content: said }, toolCalls: [] };
    },
  };

  for (const [name, provider] of [
    ["own", own],
    ["openai", openAiProvider],
    ["anthropic", anthropicProvider],
  ] as const) {
    const answer = {
      content: [{ type: "text", text: "hello" }],
      choices: [{ finish_reason: "stop", message: { content: "hello" } }],
    };
    const usage = { prompt_tokens: 4, completion_tokens: 1, input_tokens: 4, output_tokens: 1 };
    const connect = async () => ({ client: {}, send: async () => ({ said: "hello", ...answer, usage }) });
    const client = await clientFactory({
      taskId: "t",
      cfg: config({ provider: name }),
      providers: { [name]: { ...provider, connect } },
    });

    const { response, messageHistory } = await client.createMessage({
      systemPrompt: "",
      messageHistory: [TASK],
    });
    const processed = client.processLlmResponse(response, messageHistory);

    expect([name, processed.text.trim(), processed.messageHistory.length]).toEqual([name, "hello", 2]);
    expect(client.getTokenUsage()).toMatchObject({ total_input_tokens: 4, total_output_tokens: 1 });
  }
});

function fail(): never {
  throw chatError("connection", "boom");
}
