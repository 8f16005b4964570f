import { openaiChat } from "./openai-chat/protocol.ts";
import { openaiDialect } from "./openai-dialect.ts";
import type { Dialect } from "./protocol.ts";
import { refusal } from "./refusal.ts";

/** A provider that is only known by its address. Most private servers speak OpenAI's error shape. */
export const plainDialect: Dialect = {
  name: "http",
  operations: [],
  refuse: (error) => openaiDialect.refuse(error),
};

/** Gemini's errors carry their code as `status`. Source: ai.google.dev/gemini-api/docs/troubleshooting, 2026-11. */
export const geminiDialect: Dialect = {
  name: "gemini",
  operations: [openaiChat],
  refuse: (error) =>
    refusal(error, (status, message) => ({ error: { code: error.status, message, status } })),
};

/** Ollama's client shows the text under `error`. Source: ollama-js `utils.ts`, 2026-11. */
export const ollamaDialect: Dialect = {
  name: "ollama",
  operations: [openaiChat],
  refuse: (error) => refusal(error, (code, message) => ({ error: message, code })),
};

/**
 * Its own wire and the OpenAI-compatible one look for an error in different places; this one is found on both.
 * Source of the error shape: help.aliyun.com/zh/model-studio/error-code, 2026-11.
 */
export const dashscopeDialect: Dialect = {
  name: "dashscope",
  operations: [openaiChat],
  refuse: (error) =>
    refusal(error, (code, message) => ({
      code,
      message,
      request_id: "tapedeck",
      error: { message, type: code, param: null, code },
    })),
};
