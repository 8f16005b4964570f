import { GoogleGenAI } from "@google/genai";
import { type Connection, keyFor } from "../adapter.ts";
import { pickDefined } from "../../../core/base/pick-defined.ts";

/** `httpOptions.fetch` is there since version 2 of the SDK. */
export function geminiSdk(connection: GeminiConnection = {}): GeminiSdk {
  if (connection.client !== undefined) return connection.client;
  const { fetch, baseURL, headers, clientOptions } = connection;
  return new GoogleGenAI({
    apiKey: keyFor(connection, "GEMINI_API_KEY", "GOOGLE_API_KEY"),
    httpOptions: { ...pickDefined({ fetch, baseUrl: baseURL }), ...(headers && { headers: { ...headers } }) },
    ...clientOptions,
  });
}

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
