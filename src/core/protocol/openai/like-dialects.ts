import { anthropicMessages } from "../anthropic/messages/protocol.ts";
import { mistralAgents, mistralFim } from "../mistral/completions/protocol.ts";
import { mistralConversations } from "../mistral/conversations/protocol.ts";
import { mistralOcr } from "../mistral/ocr/protocol.ts";
import { openaiChat, openaiChatWithoutMark } from "./chat/protocol.ts";
import { openaiConversations } from "./conversations/protocol.ts";
import { openaiDialect } from "./dialect.ts";
import { openaiOperations } from "./operations.ts";
import type { Dialect } from "../protocol.ts";
import { refusal } from "../refusal.ts";
import { rerank } from "../rerank/protocol.ts";
import { xaiChat, xaiDeferred } from "../xai/deferred/protocol.ts";

/**
 * Mistral's errors have no envelope; OpenAI's SDK, with which it is called too, reads the one that is added.
 * Its conversations are another thing than OpenAI's. Sources: docs.mistral.ai/api, mistralai/client-python, 2026-11.
 */
export const mistralDialect: Dialect = {
  name: "mistral",
  operations: [
    ...openaiOperations.filter((operation) => !openaiConversations.includes(operation)),
    mistralFim,
    mistralAgents,
    mistralConversations,
    mistralOcr,
  ],
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

/**
 * OpenRouter's codes are HTTP statuses; Anthropic's clients are served under `/api/v1/messages`.
 * Sources: openrouter.ai/docs/api/reference/errors, openrouter typescript-sdk `funcs`, 2026-11.
 */
export const openrouterDialect: Dialect = {
  name: "openrouter",
  operations: [...openaiOperations, anthropicMessages, rerank],
  refuse: (error) =>
    refusal(error, (code, message) => ({
      error: { code: error.status, message, type: code, metadata: { tapedeck: code } },
    })),
};

/**
 * DeepSeek serves Anthropic's clients under `/anthropic/v1/messages`; beta operations are under `/beta`. While a request
 * waits it sends comments, or empty lines before the JSON. Sources: api-docs.deepseek.com/guides/anthropic_api and
 * /quick_start/rate_limit, 2026-11.
 */
export const deepseekDialect: Dialect = {
  ...openaiDialect,
  name: "deepseek",
  operations: [...openaiOperations, anthropicMessages],
};

/** xAI has chats that are answered later, and serves Anthropic's clients. Source: docs.x.ai/docs/api-reference, 2026-11. */
export const xaiDialect: Dialect = {
  ...openaiDialect,
  name: "xai",
  operations: [
    ...openaiOperations.map((operation) => (operation === openaiChat ? xaiChat : operation)),
    xaiDeferred,
    anthropicMessages,
  ],
};

/** Together ranks documents as Cohere does. Source: together-python `resources/rerank`, 2026-11. */
export const togetherDialect: Dialect = {
  ...openaiDialect,
  name: "together",
  operations: [...openaiOperations, rerank],
};

/**
 * Hugging Face's router passes on what its providers send, under their paths; some of their streams have no `[DONE]`.
 * Sources: huggingface.co/docs/inference-providers, huggingface_hub `inference/_providers`, 2026-11.
 */
export const huggingfaceDialect: Dialect = {
  ...openaiDialect,
  name: "huggingface",
  operations: openaiOperations.map((operation) =>
    operation === openaiChat ? openaiChatWithoutMark : operation,
  ),
};
