import { expectObject, expectText } from "../../client/check-options.ts";
import { retryTask, RETRY_POLICIES } from "../../client/retry.ts";
import { realSurroundings, type Surroundings } from "../../client/surroundings.ts";
import { usage as usageFrom, addUsage, NO_USAGE, type Usage } from "../../client/reply.ts";
import {
  streamChunks,
  readFirstChoice,
  readCompletionUsage,
  type Completions,
  type ReadUsage,
  joinChunks,
} from "../../client/wire/completions.ts";
import { expectSendable, readSendLimits } from "../../client/wire/expect-sendable.ts";
import { type Fields, readFields, readList } from "../../core/base/lenient.ts";
import { codeAnswer, EXECUTE_TOOL } from "./code-answer.ts";
import { listBatchTexts, listSystemTexts } from "./keys.ts";
import type { AaskOptions, LlmClient } from "./llm-client.ts";
import { formatMsg, isMessage, maskBase64Data, seesImages, createUserMsg } from "./message.ts";

const DEFAULT_TIMEOUT_S = 300;

export interface OpenAiLlmOptions {
  readonly completions: Completions;
  readonly model: string;
  /** Whether system messages are sent at all. Default true. */
  readonly useSystemPrompt?: boolean;
  /** Default "You are a helpful assistant." */
  readonly systemPrompt?: string;
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** Seconds. Default 300, also for 0. */
  readonly timeout?: number;
  /** Default 6, for connection errors and timeouts only. */
  readonly tries?: number;
  /** Counts a text's tokens for streams without usage. If it is missing, such an answer has no usage. */
  readonly countTokens?: (text: string) => number;
  /** Called with each piece of a streamed answer. */
  readonly onText?: (piece: string) => void;
  readonly surroundings?: Partial<Surroundings>;
}

/** A client that sends requests to a model (or any `ChatClient`, see `completionsOf`) as MetaGPT does. */
export interface OpenAiLlm extends LlmClient {
  readonly model: string;
  readonly usage: Usage;
  /** Reasoning of the last answer, separate from its text. */
  readonly reasoning: string;
  withoutRetries(): OpenAiLlm;
}

export function openAiLlm(options: OpenAiLlmOptions): OpenAiLlm {
  expectObject(options, "options");
  const { model, useSystemPrompt = true, systemPrompt = "You are a helpful assistant." } = options;
  expectText(model, "model");
  const surroundings = realSurroundings(options.surroundings);
  const sees = seesImages(model);
  const asker = createAsker(options);
  return {
    model,
    get usage() {
      return asker.usage;
    },
    get reasoning() {
      return asker.reasoning;
    },
    withoutRetries: () => openAiLlm({ ...options, tries: 1 }),
    aask(msg, call = {}) {
      const messages = aaskMessages(msg, call, { useSystemPrompt, systemPrompt, sees });
      surroundings.log({ level: "debug", message: JSON.stringify(messages.map(maskBase64Data)) });
      return asker.ask(messages, { timeout: call.timeout ?? 0, stream: call.stream ?? true });
    },
    async aaskBatch(msgs, { timeout = 0 } = {}) {
      const dialogue: Fields[] = [];
      const answers: string[] = [];
      for (const text of listBatchTexts(msgs)) {
        dialogue.push({ role: "user", content: text });
        const answer = await asker.ask([...dialogue], { timeout, stream: false });
        dialogue.push({ role: "assistant", content: answer });
        answers.push(answer);
      }
      return answers.join("\n");
    },
    async aaskCode(messages, { timeout = 0, ...extra } = {}) {
      const formatted = formatMsg(messages, { seesImages: sees }).map(plainFields);
      const sent = { timeout, stream: false, extra: { tools: [EXECUTE_TOOL], ...extra } };
      return codeAnswer(readFirstChoice(await asker.create(formatted, sent)));
    },
  };
}

interface Asker {
  readonly usage: Usage;
  readonly reasoning: string;
  /** Sends one request, and counts its usage unless it is a stream. */
  create(messages: readonly Fields[], sent: SentRequest): Promise<unknown>;
  ask(messages: readonly Fields[], sent: SentRequest): Promise<string>;
}

function createAsker(options: OpenAiLlmOptions): Asker {
  const { completions, model, tries = 6, onText, countTokens } = options;
  const surroundings = realSurroundings(options.surroundings);
  let used = NO_USAGE;
  let reasoning = "";
  const create: Asker["create"] = async (messages, { timeout, stream, extra }) => {
    const seconds = timeout || options.timeout || DEFAULT_TIMEOUT_S;
    const params: Fields = { messages, ...settingsOf(options), model, ...extra, ...(stream && { stream }) };
    const { tools, tool_choice: toolChoice } = params;
    expectSendable({ messages, tools, toolChoice, limits: { ...readSendLimits(params), timeout: seconds } });
    const answer = await completions.create(params, { timeoutMs: seconds * 1000 });
    const usage = stream ? undefined : readCompletionUsage(answer);
    if (usage !== undefined) used = addUsage(used, usageIn(usage));
    return answer;
  };
  const askOnce: Asker["ask"] = async (messages, sent) => {
    const answer = await create(messages, sent);
    if (!sent.stream) return readFirstChoice(answer)?.content ?? "";
    let thoughts = "";
    const onThought = (piece: string): void => void (thoughts += piece);
    const whole = await joinChunks(withoutMixedChunks(answer), { onText, onThought });
    const [text, usage] = [readFirstChoice(whole)?.content ?? "", readCompletionUsage(whole)];
    reasoning = thoughts;
    used = addUsage(used, usage === undefined ? estimate(messages, text, countTokens) : usageIn(usage));
    return text;
  };
  const policy = { ...RETRY_POLICIES.metagpt, tries };
  return {
    get usage() {
      return used;
    },
    get reasoning() {
      return reasoning;
    },
    create,
    ask: (messages, sent) => retryTask(() => askOnce(messages, sent), policy, { surroundings }),
  };
}

interface SentRequest {
  readonly timeout: number;
  readonly stream: boolean;
  readonly extra?: Fields;
}

/** Reads a chunk. If it has reasoning, its content, finish reason, and usage are dropped, as in MetaGPT. */
async function* withoutMixedChunks(answer: unknown): AsyncGenerator {
  for await (const chunk of streamChunks(answer)) {
    const [choice] = readList(readFields(chunk)["choices"]);
    const { reasoning_content: thought } = readFields(readFields(choice)["delta"]);
    yield thought ? { choices: [{ delta: { reasoning_content: thought } }] } : chunk;
  }
}

function settingsOf({ model, temperature = 0, maxTokens = 4096 }: OpenAiLlmOptions): Fields {
  // The first reasoning models accept neither a limit of this name nor a temperature.
  return model.includes("o1-") ? { temperature: 1 } : { max_tokens: maxTokens, temperature };
}

interface PromptSettings {
  readonly useSystemPrompt: boolean;
  readonly systemPrompt: string;
  readonly sees: boolean;
}

function aaskMessages(
  msg: Parameters<LlmClient["aask"]>[0],
  { systemMsgs, formatMsgs, images }: AaskOptions,
  { useSystemPrompt, systemPrompt, sees }: PromptSettings,
): readonly Fields[] {
  const given = listSystemTexts(systemMsgs);
  const systems = (given.length > 0 ? given : [systemPrompt]).map((content) => ({ role: "system", content }));
  const pictures = typeof images === "string" ? [images] : (images ?? []);
  const messages = typeof msg === "string" ? [createUserMsg(msg, pictures, sees)] : msg;
  return [...(useSystemPrompt ? systems : []), ...(formatMsgs ?? []), ...messages].map(plainFields);
}

function plainFields(message: unknown): Fields {
  if (isMessage(message)) return { role: message.role, content: message.content };
  return message instanceof Map ? readFields(Object.fromEntries(message)) : readFields(message);
}

function usageIn({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: ReadUsage): Usage {
  return usageFrom({
    uncachedInputTokens: promptTokens - cachedTokens,
    cacheReadTokens: cachedTokens,
    outputTokens: completionTokens,
    reasoningTokens,
  });
}

function estimate(
  messages: readonly Fields[],
  text: string,
  count: ((text: string) => number) | undefined,
): Usage {
  if (count === undefined) return NO_USAGE;
  const contents = messages.map(({ content }) =>
    typeof content === "string" ? content : JSON.stringify(content),
  );
  return usageFrom({ uncachedInputTokens: count(contents.join("\n")), outputTokens: count(text) });
}
