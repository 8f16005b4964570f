import { loadPeer } from "../../client/check-options.ts";
import { asChatError, chatError, type ChatError } from "../../client/errors.ts";
import { readFirstChoice, sdkCompletions } from "../../client/wire/completions.ts";
import { type Fields, readFields, readList } from "../../core/base/lenient.ts";
import { createSdkOptions, type MiroProvider, type ParsedAnswer, type ProviderCall } from "./provider.ts";
import { retainToolResults } from "./retention.ts";
import type { MiroSettings } from "./settings.ts";
import type { TaskLog } from "./log-format.ts";
import { tryAgain, type AttemptResult } from "./try-again.ts";
import { openAiUsage } from "./usage.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

const TRIES = 10;
const WAIT_MS = 30_000;

export const openAiProvider: MiroProvider = {
  async connect(settings, options) {
    const { OpenAI } = await loadPeer(() => import("openai"));
    const client = new OpenAI(createSdkOptions(settings, options));
    const completions = sdkCompletions(client);
    return {
      client,
      send: ({ extra_body: body, ...params }, limits) =>
        completions.create({ ...params, ...readFields(body) }, limits),
    };
  },
  async createMessage(call) {
    const { settings, systemPrompt, history, keepToolResult, retention, log } = call;
    const prompted = withSystemPrompt(history, systemPrompt);
    const messages = retainToolResults(prompted, keepToolResult, { ...retention, log });
    let maxTokens = settings.maxTokens;
    const rules = {
      tries: TRIES,
      waitMs: WAIT_MS,
      onError: (error: ChatError, attempt: number, isLast: boolean) =>
        onError(error, attempt, { isLast, log, call }),
    };
    const response = await tryAgain(call, rules, async (attempt, isLast): Promise<AttemptResult<unknown>> => {
      const { tryMs } = call.limits;
      const sent = { signal: call.signal, ...pickDefined({ timeoutMs: tryMs }) };
      const answer = await call.connection.send(paramsOf(settings, messages, maxTokens), sent);
      const choice = readFirstChoice(answer);
      if (choice === undefined) throw chatError("empty", "The answer has no choices");
      call.onUsage(answer);
      log("info", "LLM | Response Status", choice.finishReason ?? "N/A");
      const place = { attempt, isLast, of: triesOf(call), log };
      const isCut = choice.finishReason === "length";
      if (isCut && !isLast) maxTokens = Math.trunc(maxTokens * 1.1);
      const isDone = isCut ? acceptsCut(place, maxTokens) : acceptsText(choice.content ?? "", place);
      return isDone ? { done: answer } : { again: true };
    });
    return { response, history };
  },
  mapUsage: (response) => openAiUsage(readFields(response)["usage"]),
  parseAnswer,
};

interface Attempt {
  readonly attempt: number;
  readonly isLast: boolean;
  readonly of: number;
  readonly log: TaskLog;
}

/** Whether a cut answer is accepted. It is after the last try. */
function acceptsCut({ attempt, isLast, of, log }: Attempt, maxTokens: number): boolean {
  const step = "LLM | Length Limit Reached";
  if (isLast) {
    const text = `Response was truncated after ${attempt} attempts. Returning truncated response to allow ReAct loop to continue.`;
    log("warning", `${step} - Returning Truncated Response`, text);
  } else {
    const cut = `Response was truncated due to length limit (attempt ${attempt}/${of}).`;
    log("warning", step, `${cut} Increasing max_tokens to ${maxTokens} and retrying...`);
  }
  return isLast;
}

/** Whether a text is accepted. One that repeats itself is so only after the last try. */
function acceptsText(text: string, { attempt, isLast, of, log }: Attempt): boolean {
  if (!isSevereRepeat(text)) return true;
  const step = "LLM | Repeat Detected";
  if (isLast) {
    const shown = `Severe repeat detected after ${attempt} attempts. Returning response anyway.`;
    log("warning", `${step} - Returning Anyway`, shown);
  } else {
    const repeat = "Severe repeat: the last 50 chars appeared over 5 times";
    log("warning", step, `${repeat} (attempt ${attempt}/${of}), retrying...`);
  }
  return isLast;
}

/** Replaces a first system or developer message by the system prompt, or puts the prompt before all messages. */
function withSystemPrompt(history: readonly Fields[], systemPrompt: string): readonly Fields[] {
  if (systemPrompt === "") return history;
  const role = history[0]?.["role"];
  const rest = role === "system" || role === "developer" ? history.slice(1) : history;
  return [{ role: "system", content: systemPrompt }, ...rest];
}

function paramsOf(settings: MiroSettings, messages: readonly Fields[], maxTokens: number): Fields {
  const { modelName: model, temperature, topP, repetitionPenalty } = settings;
  const continues = messages.at(-1)?.["role"] === "assistant";
  return {
    model,
    temperature,
    messages,
    stream: false,
    top_p: topP,
    extra_body: {
      ...(repetitionPenalty !== 1 && { repetition_penalty: repetitionPenalty }),
      ...(model.includes("deepseek-v3-1") && { thinking: { type: "enabled" } }),
      ...(continues && { continue_final_message: true, add_generation_prompt: false }),
    },
    [model.includes("gpt-5") ? "max_completion_tokens" : "max_tokens"]: maxTokens,
  };
}

/** Whether a text contains its last 50 characters more than 5 times, without overlaps. */
function isSevereRepeat(text: string): boolean {
  const tail = Array.from(text).slice(-50).join("");
  return text.split(tail).length - 1 > 5;
}

interface FailedAttempt {
  readonly isLast: boolean;
  readonly log: TaskLog;
  readonly call: ProviderCall;
}

/** Logs a failure and returns whether to retry. */
function onError(thrown: ChatError, attempt: number, { isLast, log, call }: FailedAttempt): boolean {
  const { kind, message } = asChatError(thrown);
  if (kind === "cancelled") {
    log("error", "LLM | Request Cancelled", `Request was cancelled: ${message}`);
    return false;
  }
  if (
    message.includes("longer than the model") &&
    (message.includes("Error code: 400") || thrown.status === 400)
  ) {
    log("error", "LLM | Context Length Error", `Error: ${message}`);
    return false;
  }
  // A retry does not help for a missing recording or an invalid request.
  const isFinal = isLast || kind === "not-recorded" || kind === "validation";
  const [step, what] =
    kind === "timeout" ? ["LLM | Timeout Error", "Timeout error"] : ["LLM | API Error", "Error"];
  if (isFinal) log("error", step, `${what} after ${attempt} attempts: ${message}`);
  else log("warning", step, `${what} (attempt ${attempt}/${triesOf(call)}): ${message}, retrying...`);
  return !isFinal;
}

const triesOf = ({ limits }: ProviderCall): number => limits.tries ?? TRIES;

function parseAnswer(response: unknown, log: TaskLog): ParsedAnswer {
  const choice = readFirstChoice(response);
  if (choice === undefined) {
    log("error", "LLM | Response Error", "Error: LLM did not return a valid response.");
    return { text: "", shouldBreak: true, message: undefined, toolCalls: [] };
  }
  const { content, finishReason, message } = choice;
  const calls = readList(message?.["tool_calls"]);
  const text = content || (finishReason === "length" ? "LLM response is empty." : "");
  const shouldBreak = finishReason === "length" && text.includes("Context length exceeded");
  if (shouldBreak)
    log("warning", "LLM | Context Length", "Detected context length exceeded, returning error status");
  const reply = { role: "assistant", content: text, ...(calls.length > 0 && { tool_calls: calls }) };
  return { text, shouldBreak, message: reply, toolCalls: calls };
}
