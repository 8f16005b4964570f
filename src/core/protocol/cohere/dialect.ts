import { cohereChat } from "./chat/protocol.ts";
import { cohereChatV1 } from "./chat-v1/protocol.ts";
import { cohereEmbed } from "./embed/protocol.ts";
import { compatibleOperations } from "../openai/compatible.ts";
import { cohereDetokenize, cohereTokenize } from "./tokens/protocol.ts";
import type { Dialect } from "../protocol.ts";
import { refusal, unretriedStatus } from "../refusal.ts";
import { rerank } from "../rerank/protocol.ts";

/**
 * Cohere's clients show the text under `message`, and send again what failed with 408, 429 or 5xx.
 * Source: docs.cohere.com/reference/errors and cohere-python 5 `core/http_client.py`, 2026-11.
 */
export const cohereDialect: Dialect = {
  name: "cohere",
  operations: [
    cohereChat,
    cohereEmbed,
    rerank,
    cohereChatV1,
    cohereTokenize,
    cohereDetokenize,
    ...compatibleOperations,
  ],
  refuse: (error) => ({
    ...refusal(error, (code, message) => ({ message, code })),
    status: unretriedStatus(error),
  }),
};
