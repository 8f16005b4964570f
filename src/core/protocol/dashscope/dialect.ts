import { compatibleOperations } from "../openai/compatible.ts";
import { dashscopeGenerations } from "./generation/protocol.ts";
import type { Dialect } from "../protocol.ts";
import { refusal } from "../refusal.ts";

/**
 * Its own wire and the OpenAI-compatible one look for an error in different places; this one is found on both.
 * Source of the error shape: help.aliyun.com/zh/model-studio/error-code, 2026-11.
 */
export const dashscopeDialect: Dialect = {
  name: "dashscope",
  operations: [...dashscopeGenerations, ...compatibleOperations],
  refuse: (error) =>
    refusal(error, (code, message) => ({
      code,
      message,
      request_id: "tapedeck",
      error: { message, type: code, param: null, code },
    })),
};
