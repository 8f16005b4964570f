import { expect, onTestFinished, test } from "vitest";
import { cancelled, chatError } from "../../../src/client/errors.ts";
import { ErrorBox, handleLlmCall, ResponseBox } from "../../../src/systems/miroflow/answer-generator.ts";
import {
  clientFactory,
  closeClient,
  createMiroClient,
  providerOf,
} from "../../../src/systems/miroflow/client.ts";
import { formatResponseForLog } from "../../../src/systems/miroflow/log-format.ts";
import { openAiProvider } from "../../../src/systems/miroflow/openai-provider.ts";
import type { MiroProvider } from "../../../src/systems/miroflow/provider.ts";
import { OMITTED } from "../../../src/systems/miroflow/retention.ts";
import { convertToolDefinitionToToolCall } from "../../../src/systems/miroflow/tool-names.ts";
import { goldenFile } from "../../client/golden.ts";
import { config, plain, standIn } from "./stand-in.ts";

const golden = goldenFile("miroflow-base");
const TASK = { role: "user", content: "task" };

golden.test(
  "createMessage returns the response, or null and the unchanged conversation, and throws only for a cancellation [MF-06, MF-07, MF-08, MF-D1, MF-D11, MF-I3]",
  {
    rows: ({ name }) => name.startsWith("create-"),
    async run({ input }) {
      const history = [TASK];
      const { client, log } = await standIn(behaving(input.provider_does), () => ({}), {
        timer: input.provider_does.startsWith("sleeps") ? fireAtOnce : () => () => undefined,
      });
      const caught = await client
        .createMessage({ systemPrompt: "", messageHistory: history })
        .then(({ response, messageHistory }) => ({ response, history: messageHistory }))
        .catch(({ message }: Error) => ({ error: message }));
      return { ...caught, log, caller_history: history };
    },
    reduce(value) {
      // The caller's own list is never the one that a provider changes.
      const { same_list: _, caller_history: caller, history, ...rest } = value as Record<string, unknown>;
      const { error } = rest as { error?: { message: string } };
      const isUntouched = (list: unknown): unknown =>
        Array.isArray(list) && list.some((one: { content?: string }) => one.content === "half")
          ? [TASK]
          : list;
      return {
        ...rest,
        history: isUntouched(history),
        caller: isUntouched(caller),
        ...(error?.message && { error: error.message }),
      };
    },
  },
);

const HISTORY = [{ role: "user", content: "hi" }];

golden.test("defaults are MiroFlow's [MF-05]", {
  rows: ({ name }) => name === "defaults",
  // The helper's own default is never used: the total is always given.
  reduce: (value) => ({ ...(value as object), with_timeout_default_s: undefined }),
  async run() {
    const seen: object[] = [];
    const provider: MiroProvider = {
      ...behaving("ok"),
      async createMessage(call) {
        seen.push({ keep_tool_result: call.keepToolResult });
        return { response: 1, history: call.history };
      },
    };
    const ids: unknown[] = [];
    const waits: number[] = [];
    const timer = (ms: number) => {
      waits.push(ms);
      return () => undefined;
    };
    const { client } = await standIn(provider, () => ({}), { timer });
    const failing = await standIn(behaving("value"), () => ({}), {
      taskLog: (_level, step, _message, stepId) => ids.push(stepId, step.split(" | ")[1]),
    });
    await client.createMessage({ systemPrompt: "", messageHistory: HISTORY });
    ids.length = 0;
    await failing.client.createMessage({ systemPrompt: "", messageHistory: HISTORY });
    return {
      total_timeout_s: (waits[0] ?? Number.NaN) / 1000,
      ...seen[0],
      step_id: ids[0],
      agent_type: ids[1],
      placeholder: OMITTED,
      repetition_penalty: client.settings.repetitionPenalty,
      use_tool_calls: client.settings.useToolCalls,
      last_call_tokens: client.lastCallTokens,
    };
  },
});

golden.test("a client reports that it is ready, and needs no log [MF-02, MF-I1]", {
  rows: ({ name }) => name.startsWith("init-"),
  async run({ input }) {
    const log: unknown[] = [];
    const { provider = "openai", model = "m" } = input;
    const taskLog = (...line: unknown[]): void => void log.push(line.slice(0, 3));
    await createMiroClient(connected(openAiProvider), {
      taskId: "t",
      cfg: config({ provider, model_name: model }),
      ...(input.task_log !== null && { taskLog }),
    });
    return log;
  },
});

golden.test("tool definitions become OpenAI's, at once and in order [MF-23, MF-D2, MF-D14]", {
  rows: ({ name }) => name.startsWith("tools-"),
  run: ({ input }) => convertToolDefinitionToToolCall(input),
});

golden.test("a response is cut for the log [MF-27]", {
  rows: ({ name }) => name.startsWith("log-"),
  run: ({ input }) => formatResponseForLog(plain(input), "Resp"),
});

golden.test("closing releases open resources [MF-28, MF-D3]", {
  rows: ({ name }) => name.startsWith("close-"),
  async run({ input }) {
    const closed: string[] = [];
    const inner = { close: () => void closed.push("inner.close") };
    const clients: Readonly<Record<string, unknown>> = {
      sync: { close: () => void closed.push("close") },
      async: { close: async () => void closed.push("close") },
      "async-inner": { close: async () => void closed.push("close"), _client: inner },
      "async-inner-raises": { close: async () => undefined, _client: { close: () => fail("close failed") } },
      "only-inner": { _client: inner },
      nothing: {},
      "sync-raises": { close: () => fail("close failed") },
    };
    await closeClient(clients[input]);
    return closed;
  },
  errorOf: (thrown) => ({ error: { type: "RuntimeError", message: (thrown as Error).message } }),
});

golden.test("a provider is found by its exact name [MF-03]", {
  rows: ({ name }) => name.startsWith("factory-"),
  run: ({ input }) => (providerOf(input) === openAiProvider ? "OpenAIClient" : "AnthropicClient"),
  errorOf: (thrown) => ({ error: { type: "ValueError", message: (thrown as Error).message } }),
});
golden.done();

test("settings are read once, and one that is missing or wrong is named [MF-01, MF-D4]", async () => {
  const { client } = await standIn(openAiProvider, () => ({}), {
    cfg: config({ api_key: "k", base_url: "u" }),
  });
  expect(client.settings).toMatchObject({ modelName: "m", topK: -1, apiKey: "k", baseUrl: "u" });
  const cfg = { ...config(), agent: { keep_tool_result: -2 } };
  await expect(createMiroClient(connected(openAiProvider), { taskId: "t", cfg })).rejects.toThrow(
    "keep_tool_result",
  );
});

test("the task's id is sent as a header, through any given fetch [MF-04]", async () => {
  const seen: (string | null)[] = [];
  for (const provider of ["openai", "anthropic"]) {
    const client = await clientFactory({
      taskId: "task-7",
      cfg: config({ provider, api_key: "k", base_url: "http://127.0.0.1:9/v1" }),
      fetch: async (input, init) => {
        seen.push(new Request(input, init).headers.get("x-upstream-session-id"));
        return Response.json(provider === "openai" ? COMPLETION : MESSAGE);
      },
    });

    const { response } = await client.createMessage({ systemPrompt: "s", messageHistory: [TASK] });
    const { text } = client.processLlmResponse(response, []);
    await client.close();
    await client.close();

    expect(text.trim()).toBe("hi");
    expect(client.usage).toMatchObject({ uncachedInputTokens: 3, outputTokens: 2 });
  }

  expect(seen).toEqual(["task-7", "task-7"]);
});

test("an upper layer distinguishes a failed call from an answer, and unpacks boxes [MF-09]", async () => {
  const outcomes = [
    new ErrorBox("broken"),
    new ResponseBox(COMPLETION, { warning_msg: "careful" }),
    COMPLETION,
    {
      choices: [
        {
          finish_reason: "stop",
          message: { content: "x", tool_calls: [{ id: "1", function: { name: "s-t", arguments: "{}" } }] },
        },
      ],
    },
  ];
  const provider: MiroProvider = {
    ...openAiProvider,
    createMessage: async ({ history }) => ({ response: outcomes.shift(), history }),
  };
  const { client } = await standIn(provider, () => ({}));
  const shown: string[] = [];
  const ask = () =>
    handleLlmCall(client, { systemPrompt: "", messageHistory: [TASK] }, (message) => shown.push(message));

  const failed = await ask();
  const boxed = await ask();
  const plainAnswer = await ask();
  const withCalls = await ask();

  expect(failed).toEqual({ text: "", shouldBreak: false, toolCalls: null, messageHistory: [TASK] });
  expect(boxed).toMatchObject({ text: "hi", toolCalls: [] });
  expect(plainAnswer.messageHistory).toEqual([TASK, { role: "assistant", content: "hi" }]);
  expect(withCalls.toolCalls).toEqual([{ server_name: "s", tool_name: "t", arguments: {}, id: "1" }]);
  expect(shown).toEqual(["broken", "careful"]);
});

test("a log and a step given for one call are used for it [MF-I2]", async () => {
  const lines: unknown[] = [];
  const { client, log } = await standIn(behaving("value"), () => ({}));

  await client.createMessage({
    systemPrompt: "",
    messageHistory: [TASK],
    stepId: 7,
    agentType: "sub",
    taskLog: (level, step, _message, stepId) => lines.push([level, step, stepId]),
  });

  expect(lines).toEqual([["error", "FATAL ERROR | sub | LLM Call ERROR", 7]]);
  expect(log).toEqual([]);
  expect(client.lastError?.message).toBe("bad thing");
});

test("closing twice closes once [MF-I6]", async () => {
  let closed = 0;
  const connection = { send: async () => ({}), client: { close: () => void (closed += 1) } };
  const client = await createMiroClient(
    { ...openAiProvider, connect: async () => connection },
    { taskId: "t", cfg: config() },
  );

  await Promise.all([client.close(), client.close()]);

  expect(closed).toBe(1);
});

test("a caller who leaves ends a call that hangs [MF-08]", async () => {
  const controller = new AbortController();
  const { client } = await standIn(openAiProvider, () => new Promise(() => undefined));

  const asking = client.createMessage({
    systemPrompt: "",
    messageHistory: [TASK],
    signal: controller.signal,
  });
  controller.abort();

  await expect(asking).rejects.toMatchObject({ kind: "cancelled" });
});

test("a caller who left earlier causes no unhandled failure", async () => {
  const { client } = await standIn(openAiProvider, () => new Promise(() => undefined));
  const unheard: unknown[] = [];
  const hear = (reason: unknown): void => void unheard.push(reason);
  process.on("unhandledRejection", hear);
  onTestFinished(() => void process.off("unhandledRejection", hear));

  const asking = client.createMessage({
    systemPrompt: "",
    messageHistory: [],
    signal: AbortSignal.abort(),
  });

  await expect(asking).rejects.toMatchObject({ kind: "cancelled" });
  await new Promise(setImmediate);
  expect(unheard).toEqual([]);
});

const COMPLETION = {
  choices: [{ finish_reason: "stop", message: { content: "hi" } }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
};
const MESSAGE = { content: [{ type: "text", text: "hi" }], usage: { input_tokens: 3, output_tokens: 2 } };

function connected(provider: MiroProvider): MiroProvider {
  return { ...provider, connect: async () => ({ send: async () => ({}), client: {} }) };
}

/** A provider that does what the golden rows say. */
function behaving(does: string): MiroProvider {
  return {
    ...openAiProvider,
    async createMessage({ history }) {
      if (does === "value") throw new Error("bad thing");
      if (does === "timeout-inside") throw chatError("timeout", "inner");
      if (does === "cancel") throw Object.assign(cancelled(), { message: "c" });
      if (does === "mutates-then-fails") {
        (history as object[]).push({ role: "assistant", content: "half" });
        throw new Error("late");
      }
      if (does.startsWith("sleeps")) return new Promise(() => undefined);
      return { response: "RESPONSE", history: [...history, { role: "assistant", content: "added" }] };
    },
  };
}

function fireAtOnce(_ms: number, fire: () => void): () => void {
  queueMicrotask(fire);
  return () => undefined;
}

function fail(message: string): never {
  throw new Error(message);
}
