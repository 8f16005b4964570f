import { compatibleOperations } from "../openai/compatible.ts";
import { geminiCountTokens } from "./count-tokens/protocol.ts";
import { geminiBatchEmbed, geminiEmbed } from "./embed/protocol.ts";
import { geminiGenerate, geminiStreamGenerate } from "./generate/protocol.ts";
import type { Dialect } from "../protocol.ts";
import { refusal } from "../refusal.ts";

/** Gemini's errors carry their code as `status`. Source: ai.google.dev/gemini-api/docs/troubleshooting, 2026-11. */
export const geminiDialect: Dialect = {
  name: "gemini",
  operations: [
    geminiGenerate,
    geminiStreamGenerate,
    geminiEmbed,
    geminiBatchEmbed,
    geminiCountTokens,
    ...compatibleOperations,
  ],
  refuse: (error) =>
    refusal(error, (status, message) => ({ error: { code: error.status, message, status } })),
};
