import type { Connection } from "../connection.ts";

/** As much of the official client as is used; an `Anthropic` of your own fits. */
export interface AnthropicSdk {
  readonly messages: { create(body: object, options?: object): PromiseLike<unknown> };
}

export interface AnthropicConnection extends Connection {
  /** Used as it is: give it the engine's fetch yourself. */
  readonly client?: AnthropicSdk;
}
