import Anthropic from "@anthropic-ai/sdk";
import { type Connection, keyFor } from "../adapter.ts";
import { pickDefined } from "../../../core/base/pick-defined.ts";

export function anthropicSdk(connection: AnthropicConnection = {}): AnthropicSdk {
  if (connection.client !== undefined) return connection.client;
  const { fetch, baseURL, headers, clientOptions } = connection;
  return new Anthropic({
    maxRetries: 0,
    apiKey: keyFor(connection, "ANTHROPIC_API_KEY"),
    ...pickDefined({ fetch, baseURL, defaultHeaders: headers }),
    ...clientOptions,
  });
}

/** As much of the official client as is used; an `Anthropic` of your own fits. */
export interface AnthropicSdk {
  readonly messages: { create(body: object, options?: object): PromiseLike<unknown> };
}

export interface AnthropicConnection extends Connection {
  /** Used as it is: give it the engine's fetch yourself. */
  readonly client?: AnthropicSdk;
}
