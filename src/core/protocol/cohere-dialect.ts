import { cohereChat } from "./cohere-chat/protocol.ts";
import { cohereEmbed } from "./cohere-embed/protocol.ts";
import { compatibleOperations } from "./compatible.ts";
import type { Dialect } from "./protocol.ts";
import { refusal, unretriedStatus } from "./refusal.ts";

/**
 * Cohere's clients show the text under `message`, and send again what failed with 408, 429 or 5xx.
 * Source: docs.cohere.com/reference/errors and cohere-python 5 `core/http_client.py`, 2026-11.
 */
export const cohereDialect: Dialect = {
  name: "cohere",
  operations: [cohereChat, cohereEmbed, ...compatibleOperations],
  refuse: (error) => ({
    ...refusal(error, (code, message) => ({ message, code })),
    status: unretriedStatus(error),
  }),
};
