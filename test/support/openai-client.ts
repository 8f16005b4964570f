import OpenAI, { APIError } from "openai";
import type { SdkCall } from "../contract/protocol-contract.ts";

/** A call by the official `openai` package, whose errors have a code and a status. */
export function openaiCall(ask: (client: OpenAI) => Promise<unknown>): SdkCall {
  return {
    call: (fetch) => ask(new OpenAI({ apiKey: "none", baseURL: "http://127.0.0.1:9/v1", fetch })),
    codeOf: (error) => (error instanceof APIError ? error.code : undefined),
    statusOf: (error) => (error instanceof APIError ? (error.status as unknown) : undefined),
  };
}
