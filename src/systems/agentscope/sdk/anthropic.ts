import Anthropic from "@anthropic-ai/sdk";
import { type Connection, findKey } from "./connection.ts";
import { pickDefined } from "../../../core/base/pick-defined.ts";

export function createAnthropicSdk(connection: AnthropicConnection = {}): AnthropicSdk {
  const { fetch, baseURL, headers, clientOptions } = connection;
  return new Anthropic({
    maxRetries: 0,
    apiKey: findKey(connection, "ANTHROPIC_API_KEY"),
    ...pickDefined({ fetch, baseURL, defaultHeaders: headers }),
    ...clientOptions,
  });
}

/** The used part of the official client; any `Anthropic` object fits. */
export interface AnthropicSdk {
  readonly messages: { create(body: object, options?: object): PromiseLike<unknown> };
}

export interface AnthropicConnection extends Connection {
  /** Used unchanged. Pass the engine's fetch to it yourself. */
  readonly client?: AnthropicSdk;
}
