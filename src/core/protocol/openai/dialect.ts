import { openaiOperations } from "./operations.ts";
import type { Dialect } from "../protocol.ts";
import { refusal } from "../refusal.ts";

/** OpenAI and who speaks alike. Source of the error shape: platform.openai.com/docs/guides/error-codes, 2026-11. */
export const openaiDialect: Dialect = {
  name: "openai",
  operations: openaiOperations,
  refuse: (error) =>
    refusal(error, (code, message) => ({ error: { message, type: code, param: null, code } })),
};
