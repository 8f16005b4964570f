import OpenAI, { APIError } from "openai";
import type { Sdk } from "./sdk-reading.ts";

/** A call by an official SDK, and what its errors are called. */
export interface SdkCall {
  call(fetch: typeof globalThis.fetch): Promise<unknown>;
  readonly codeOf?: Sdk["codeOf"];
  readonly statusOf: Sdk["statusOf"];
}

/** A call by the official `openai` package, whose errors have a code and a status. */
export function openaiCall(ask: (client: OpenAI) => Promise<unknown>): SdkCall {
  return {
    call: (fetch) => ask(new OpenAI({ apiKey: "none", baseURL: "http://127.0.0.1:9/v1", fetch })),
    codeOf: (error) => (error instanceof APIError ? error.code : undefined),
    statusOf: (error) => (error instanceof APIError ? (error.status as unknown) : undefined),
  };
}
