import Anthropic from "@anthropic-ai/sdk";
import { keyFor } from "../connection.ts";
import type { AnthropicConnection, AnthropicSdk } from "./connection.ts";

export function anthropicSdk(connection: AnthropicConnection = {}): AnthropicSdk {
  if (connection.client !== undefined) return connection.client;
  const { fetch, baseURL, headers, clientOptions } = connection;
  return new Anthropic({
    maxRetries: 0,
    apiKey: keyFor(connection, "ANTHROPIC_API_KEY"),
    ...(fetch && { fetch }),
    ...(baseURL !== undefined && { baseURL }),
    ...(headers && { defaultHeaders: headers }),
    ...clientOptions,
  });
}
