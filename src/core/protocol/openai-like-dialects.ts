import { openaiChat, openaiChatWithoutMark } from "./openai-chat/protocol.ts";
import { openaiConversations } from "./openai-conversations/protocol.ts";
import { openaiDialect } from "./openai-dialect.ts";
import { openaiOperations } from "./openai-operations.ts";
import type { Dialect } from "./protocol.ts";
import { refusal } from "./refusal.ts";

/**
 * Mistral's errors have no envelope; OpenAI's SDK, with which it is called too, reads the one that is added.
 * Its conversations are another thing than OpenAI's. Source: docs.mistral.ai/api, 2026-11.
 */
export const mistralDialect: Dialect = {
  name: "mistral",
  operations: openaiOperations.filter((operation) => !openaiConversations.includes(operation)),
  refuse: (error) =>
    refusal(error, (code, message) => ({
      object: "error",
      message,
      type: code,
      param: null,
      code,
      error: { message, type: code, param: null, code },
    })),
};

/** OpenRouter's codes are HTTP statuses. Source: openrouter.ai/docs/api/reference/errors, 2026-11. */
export const openrouterDialect: Dialect = {
  name: "openrouter",
  operations: openaiOperations,
  refuse: (error) =>
    refusal(error, (code, message) => ({
      error: { code: error.status, message, type: code, metadata: { tapedeck: code } },
    })),
};

/**
 * Hugging Face's router passes on what its providers send; some of their streams have no `[DONE]`.
 * Source: huggingface.co/docs/inference-providers, 2026-11.
 */
export const huggingfaceDialect: Dialect = {
  ...openaiDialect,
  name: "huggingface",
  operations: openaiOperations.map((operation) =>
    operation === openaiChat ? openaiChatWithoutMark : operation,
  ),
};
