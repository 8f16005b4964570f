import type { Connection } from "../connection.ts";

/** As much of the official client as is used; a `GoogleGenAI` of your own fits. */
export interface GeminiSdk {
  readonly models: {
    generateContent(parameters: object): Promise<object>;
    generateContentStream(parameters: object): Promise<AsyncIterable<object>>;
  };
}

export interface GeminiConnection extends Connection {
  /** Used as it is: give it the engine's fetch yourself, under `httpOptions.fetch`. */
  readonly client?: GeminiSdk;
}
