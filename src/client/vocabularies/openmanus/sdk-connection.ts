import { sdkCompletions, type Completions } from "../../wire/completions.ts";
import type { LlmSettings } from "./settings.ts";

/** Which kind of client settings ask for. */
export type ClientKind = "openai" | "azure" | "bedrock";

export function clientKind({ api_type: type }: Pick<LlmSettings, "api_type">): ClientKind {
  if (type === "azure") return "azure";
  return type === "aws" ? "bedrock" : "openai";
}

/** Makes whoever answers a client's requests from its settings. */
export type ConnectLlm = (settings: LlmSettings) => Promise<Completions>;

/**
 * Connects through the official OpenAI SDK (the package openai). Bedrock is reached through its OpenAI-compatible
 * endpoint, which `base_url` names. `fetch` is where requests go, e.g. that of a deck: `deck.fetch(run)`.
 */
export function connectSdk(options: { readonly fetch?: typeof globalThis.fetch } = {}): ConnectLlm {
  return async (settings) => {
    const { AzureOpenAI, OpenAI } = await import("openai");
    const { api_key: apiKey, base_url: baseURL, api_version: apiVersion } = settings;
    // Tries are counted here, not there.
    const common = { apiKey, maxRetries: 0, ...(options.fetch && { fetch: options.fetch }) };
    return sdkCompletions(
      clientKind(settings) === "azure"
        ? new AzureOpenAI({ ...common, baseURL, apiVersion })
        : new OpenAI({ ...common, baseURL }),
    );
  };
}
