import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { repairJson, repairObject } from "../../src/client/json/repair-json.ts";
import { readFirstChoice } from "../../src/client/wire/completions.ts";
import {
  type APIStatusError,
  callableTool,
  dereference,
  dumpMessage,
  dumpTokenUsage,
  ensurePropertyTypes,
  extractText,
  generate,
  message,
  MockChatProvider,
  parseEchoScript,
  simpleToolset,
  toolCall,
  toolOk,
} from "../../src/systems/kosong/index.ts";
import { codeAnswer } from "../../src/systems/metagpt/code-answer.ts";
import { aaskBatchKey, aaskCodeKey, aaskKey } from "../../src/systems/metagpt/keys.ts";
import { maskBase64Data, message as metaMessage, seesImages } from "../../src/systems/metagpt/message.ts";
import { openAiLlm } from "../../src/systems/metagpt/openai-llm.ts";
import { anthropicProvider, applyCacheControl } from "../../src/systems/miroflow/anthropic-provider.ts";
import { ensureSummaryContext } from "../../src/systems/miroflow/guard.ts";
import { openAiProvider } from "../../src/systems/miroflow/openai-provider.ts";
import {
  answerText,
  experienceText,
  fixServerNames,
  parseToolCalls,
} from "../../src/systems/miroflow/parsing.ts";
import { retainToolResults } from "../../src/systems/miroflow/retention.ts";
import { formatMessages, message as manusMessage } from "../../src/systems/openmanus/messages.ts";
import { createTokenCounter } from "../../src/systems/openmanus/token-counter.ts";
import { runModelRow } from "../systems/agentscope/golden-model.ts";
import { comparable } from "../systems/agentscope/golden-text.ts";
import { partFrom } from "../systems/kosong/golden-parts.ts";
import { standIn } from "../systems/miroflow/stand-in.ts";
import { call } from "../systems/openmanus/call.ts";

/* oxlint-disable typescript/no-explicit-any -- each kind of input and result has a different shape */
type Run = (input: any) => unknown;

const byWhat =
  (runs: Readonly<Record<string, Run>>): Run =>
  ({ what, input }) =>
    runs[what]?.(input);

/** A run whose log is part of its result. */
const logging =
  (name: string, run: (input: any, log: (...line: readonly unknown[]) => void) => object): Run =>
  (input) => {
    const log: unknown[] = [];
    const result = run(input, (...line) => void log.push(line));
    return { ...(name === "" ? result : { [name]: result }), log };
  };

const characters = (text: string): number => Array.from(text).length;

/** The marks of messages as MetaGPT's messages. */
function revived(value: any): unknown {
  if (Array.isArray(value)) return value.map(revived);
  const given = value?.$message;
  if (given === undefined) return value;
  return metaMessage(given.content, {
    ...(given.role !== undefined && { role: given.role }),
    images: given.metadata?.images ?? [],
  });
}

/** Our result for an input of each file in `test/fixtures/originals`. */
const RUNS: Readonly<Record<string, Run>> = {
  json_repair(text) {
    const whole = repairJson(text);
    return { whole: whole === undefined ? "nothing" : whole, growing: repairObject(text).value };
  },
  kosong(script) {
    const { parts, id, usage } = parseEchoScript(script);
    return { parts, id, usage: usage === null ? null : dumpTokenUsage(usage) };
  },
  kosong_parts: byWhat({
    async generate(parts) {
      const order: unknown[] = [];
      const { message: made } = await generate(
        new MockChatProvider(parts.map(partFrom)),
        { systemPrompt: "", tools: [], history: [] },
        {
          onMessagePart: (part) => void order.push(["part", part]),
          onToolCall: (called) => void order.push(["call", called]),
        },
      );
      return { message: dumpMessage(made, { nulls: true }), bare: dumpMessage(made), order };
    },
    dump({ content, tool_calls: calls, ...more }) {
      const toolCalls = calls?.map(partFrom) ?? null;
      const made = message({ ...more, content: content.map(partFrom), toolCalls });
      const text = extractText(made, "|");
      return { whole: dumpMessage(made, { nulls: true }), bare: dumpMessage(made), text };
    },
    dereference,
    type: ensurePropertyTypes,
    async fit({ schema: parameters, value: args }) {
      const tool = callableTool({ name: "f", description: "", parameters, call: () => toolOk("fits") });
      const fitting = toolCall("1", "f", { arguments: JSON.stringify(args) });
      const { returnValue } = await simpleToolset([tool]).handle(fitting);
      // The original reports the fault with excerpts, in many lines.
      return returnValue.isError ? "does not fit" : "fits";
    },
  }),
  agentscope: (input) => runModelRow({ name: "random", input, expected: undefined }),
  miroflow: byWhat({
    parse: parseToolCalls,
    fix: ({ text, system_prompt }) => fixServerNames(text, system_prompt),
    say: (text) => ({ experience: experienceText(text), text: answerText(text) }),
    retain: logging("messages", ({ messages, keep }, log) => retainToolResults(messages, keep, { log })),
    mark: logging("messages", applyCacheControl),
    guard: logging("", ({ history, summary, last_call, max_tokens, max_context_length }, log) => {
      const guarded = ensureSummaryContext(history, summary, {
        lastCall: last_call,
        maxTokens: max_tokens,
        maxContextLength: max_context_length,
        countTokens: characters,
        log,
      });
      return { continue: guarded.continues, history: guarded.history };
    }),
    async process({ provider, response }) {
      const { client, log } = await standIn(
        provider === "openai" ? openAiProvider : anthropicProvider,
        () => 0,
      );
      const task = { role: "user", content: "t" };
      const { text, shouldBreak, messageHistory } = client.processLlmResponse(response, [task]);
      return { text, should_break: shouldBreak, history: messageHistory, log };
    },
  }),
  openmanus: byWhat({
    async call(input) {
      const row = { name: "random", input, expected: undefined };
      const { result, requests, total_input_tokens, total_completion_tokens, log } = (await call(
        row,
        characters,
      )) as any;
      const totals = [total_input_tokens, total_completion_tokens];
      return { result, request: requests[0] ?? null, totals, log };
    },
    format: ({ messages, supports_images }) =>
      formatMessages(
        messages.map((one: any) => (one?.$message ? manusMessage(one.$message) : one)),
        supports_images,
      ),
    count: (messages) => createTokenCounter(characters).countMessageTokens(messages),
  }),
  metagpt: byWhat({
    key({ method, args, model = "gpt-4-turbo" }) {
      if (method === "aask") return aaskKey(args.msg, args.system_msgs);
      if (method === "aask_batch") return aaskBatchKey(revived(args.msgs));
      return aaskCodeKey(revived(args.messages), { seesImages: seesImages(model) });
    },
    code({ arguments: text, content }) {
      const calls = text === null ? {} : { tool_calls: [{ function: { name: "execute", arguments: text } }] };
      return codeAnswer(readFirstChoice({ choices: [{ message: { content, ...calls } }] }));
    },
    async send({ args, model, use_system_prompt: useSystemPrompt }) {
      let messages: unknown;
      const create = async (params: any): Promise<unknown> => {
        ({ messages } = params);
        return { choices: [{ message: { content: "R" } }] };
      };
      const { msg, system_msgs: systemMsgs, format_msgs: formatMsgs, images } = args;
      const options = { systemMsgs, formatMsgs, images, stream: false };
      await openAiLlm({ completions: { create }, model, useSystemPrompt }).aask(msg, options);
      return { messages };
    },
    mask: maskBase64Data,
  }),
};

/** A failure as the file shows it: only the one of kosong's scripts keeps the type of the error. */
function failureIn(file: string, error: unknown): unknown {
  const { name: type, message: text, statusCode } = error as APIStatusError;
  return { error: file === "kosong" ? { type, message: text, status_code: statusCode } : text };
}

/** A result as JSON, in one spelling. Gemini's SDK gets a class and writes its schema; here the schema is given. */
function inOneForm(file: string, result: unknown): unknown {
  const plain: unknown = JSON.parse(JSON.stringify(result) ?? "null");
  if (file !== "agentscope") return plain;
  const { requests, ...rest } = comparable(plain) as {
    requests: { config?: { responseSchema?: unknown } }[];
  };
  for (const { config } of requests)
    if (config?.responseSchema !== undefined) config.responseSchema = "a schema";
  return { ...rest, requests };
}

test.each(Object.entries(RUNS))(
  "random inputs of %s.ndjson give the original's results, except documented differences",
  async (file, run) => {
    const path = join(import.meta.dirname, "../fixtures/originals", `${file}.ndjson`);
    const lines = readFileSync(path, "utf8").trim().split("\n");
    const different: unknown[] = [];
    for (const line of lines) {
      const { input, gave, instead = gave } = JSON.parse(line);
      const result = await Promise.resolve(input)
        .then(run)
        .catch((error: unknown) => failureIn(file, error));
      const [ours, theirs] = [inOneForm(file, result), inOneForm(file, instead)];
      if (!isDeepStrictEqual(ours, theirs)) different.push({ input, ours, theirs });
    }

    expect(lines.length).toBeGreaterThanOrEqual(100);
    expect(different).toEqual([]);
  },
);
