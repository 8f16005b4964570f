import type { Connection } from "../connection.ts";

/** As much of the official client as is used; an `OpenAI` or `AzureOpenAI` of your own fits. */
export interface OpenaiSdk {
  readonly chat: {
    readonly completions: { create(body: object, options?: object): PromiseLike<unknown> };
  };
  readonly responses: { create(body: object, options?: object): PromiseLike<unknown> };
}

export interface OpenaiConnection extends Connection {
  readonly organization?: string;
  readonly project?: string;
  /** Used as it is: give it the engine's fetch yourself. */
  readonly client?: OpenaiSdk;
}

export interface AzureConnection extends OpenaiConnection {
  /** The resource's address; AZURE_OPENAI_ENDPOINT where it is not given. */
  readonly endpoint?: string;
  readonly apiVersion?: string;
  /** Where it is another name than the model's. */
  readonly deployment?: string;
}
