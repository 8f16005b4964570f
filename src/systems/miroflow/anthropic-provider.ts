import { loadPeer } from "../../client/check-options.ts";
import type { ChatError } from "../../client/errors.ts";
import { sdkError } from "../../client/wire/sdk-failure.ts";
import { type Fields, readFields, readList, readText, readString } from "../../core/base/lenient.ts";
import { createSdkOptions, type MiroProvider, type ParsedAnswer } from "./provider.ts";
import { retainToolResults } from "./retention.ts";
import type { MiroSettings } from "./settings.ts";
import type { TaskLog } from "./log-format.ts";
import { tryAgain } from "./try-again.ts";
import { anthropicUsage } from "./usage.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

const TRIES = 5;
const WAIT_MS = 10_000;
const EPHEMERAL = { type: "ephemeral" };

export const anthropicProvider: MiroProvider = {
  async connect(settings, options) {
    const { Anthropic } = await loadPeer(() => import("@anthropic-ai/sdk"));
    const client = new Anthropic(createSdkOptions(settings, options));
    return {
      client,
      async send(params, { signal, timeoutMs }) {
        try {
          const limits = { signal, ...pickDefined({ timeout: timeoutMs }) };
          return await client.messages.create(params as never, limits);
        } catch (error) {
          throw sdkError(error, "anthropic");
        }
      },
    };
  },
  async createMessage(call) {
    const { settings, systemPrompt, history, keepToolResult, retention, log, limits, signal } = call;
    log("info", "LLM | Call Start", `Calling LLM (${settings.asyncClient ? "async" : "sync"})`);
    const messages = applyCacheControl(
      retainToolResults(history, keepToolResult, { ...retention, log }),
      log,
    );
    const params = paramsOf(settings, systemPrompt, messages);
    const onError = (error: ChatError): boolean => {
      if (error.kind === "cancelled")
        log("warning", "LLM | Call Cancelled", "⚠️ LLM API call was cancelled during execution");
      else log("error", "LLM | Call Failed", `Anthropic LLM call failed: ${error.message}`);
      return error.retryable;
    };
    const response = await tryAgain(call, { tries: TRIES, waitMs: WAIT_MS, onError }, async () => {
      const sent = { signal, ...pickDefined({ timeoutMs: limits.tryMs }) };
      const answer = await call.connection.send(params, sent);
      call.onUsage(answer);
      const status = readString(readFields(answer)["stop_reason"]) ?? "N/A";
      log("info", "LLM | Call Status", `LLM call status: ${status}`);
      return { done: answer };
    });
    return { response, history };
  },
  mapUsage: (response) => anthropicUsage(readFields(response)["usage"]),
  parseAnswer,
  wording: {
    usageLine(_, mapped) {
      if (mapped === undefined) return ["warning", "Warning: No valid usage_data received."];
      const {
        uncachedInputTokens: input,
        cacheWriteTokens: written,
        cacheReadTokens: read,
        outputTokens: output,
      } = mapped.usage;
      return ["info", `Input: ${input}, Cache: ${written}+${read}, Output: ${output}`];
    },
    summaryCounts: (totals) => [
      `Total Input Tokens (non-cache): ${totals.total_input_tokens}`,
      `Total Cache Creation Input Tokens: ${totals.total_cache_write_input_tokens}`,
      `Total Cache Read Input Tokens: ${totals.total_cache_read_input_tokens}`,
      `Total Output Tokens: ${totals.total_output_tokens}`,
    ],
    summaryLog: (totals) =>
      [
        `Total Input: ${totals.total_input_tokens}`,
        `Cache Creation: ${totals.total_cache_write_input_tokens}`,
        `Cache Read: ${totals.total_cache_read_input_tokens}`,
        `Output: ${totals.total_output_tokens}`,
      ].join(", "),
    resultMessage: (text) => ({ role: "user", content: [{ type: "text", text }] }),
  },
};

function paramsOf(settings: MiroSettings, systemPrompt: string, messages: readonly Fields[]): Fields {
  const { modelName: model, temperature, topP, topK, maxTokens } = settings;
  return {
    model,
    temperature,
    ...(topP !== 1 && { top_p: topP }),
    ...(topK !== -1 && { top_k: topK }),
    max_tokens: maxTokens,
    system: [{ type: "text", text: systemPrompt, cache_control: EPHEMERAL }],
    messages,
    stream: false,
  };
}

/** Marks the first text of the last user message for the provider's cache. Returns copies. */
export function applyCacheControl(messages: readonly Fields[], log: TaskLog): readonly Fields[] {
  const last = messages.findLastIndex(({ role }) => role === "user");
  return messages.map((message, index) => (index === last ? markForCache(message, log) : message));
}

function markForCache(message: Fields, log: TaskLog): Fields {
  const { content } = message;
  const blocks: unknown = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (!Array.isArray(blocks)) {
    log(
      "warning",
      "LLM | Cache Control",
      "Warning: User message content is not in expected list format, cache control not applied.",
    );
    return message;
  }
  const place = blocks.findIndex((block: unknown) => {
    const { type, text } = readFields(block);
    return type === "text" && readText(text) !== undefined;
  });
  const withMark = readList(blocks).map((block, index) =>
    index === place ? { ...readFields(block), cache_control: EPHEMERAL } : block,
  );
  return { ...message, content: withMark };
}

function parseAnswer(response: unknown, log: TaskLog): ParsedAnswer {
  const nothing = { text: "", shouldBreak: true, message: undefined, toolCalls: [] };
  if (typeof response !== "object" || response === null) {
    log("error", "LLM | Response Processing", "❌ LLM call failed, skipping this response.");
    return nothing;
  }
  const blocks = readList(readFields(response)["content"]).map(readFields);
  if (blocks.length === 0) {
    log("error", "LLM | Response Processing", "❌ LLM response is empty or contains no content.");
    return nothing;
  }
  const kept = blocks.flatMap(({ type, text, id, name, input }): Fields[] => {
    if (type === "text") return [{ type, text }];
    return type === "tool_use" ? [{ type, id, name, input }] : [];
  });
  const text = kept
    .flatMap((block) => (block["type"] === "text" ? [`${readString(block["text"]) ?? ""}\n`] : []))
    .join("");
  log("info", "LLM | Response", `LLM Response: ${text}`);
  const toolCalls = kept
    .filter(({ type }) => type === "tool_use")
    .map(({ id, name, input }) => ({ id, function: { name, arguments: JSON.stringify(input ?? {}) } }));
  return { text, shouldBreak: false, message: { role: "assistant", content: kept }, toolCalls };
}
