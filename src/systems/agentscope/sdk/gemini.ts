import { GoogleGenAI } from "@google/genai";
import { type Connection, findKey } from "./connection.ts";
import { pickDefined } from "../../../core/base/pick-defined.ts";

/**
 * Makes the SDK's client. `httpOptions.fetch` needs version 2 of the SDK. Version 3 calls `v1` of the Gemini API by default, which
 * lacks settings such as thinking.
 */
export function createGeminiSdk(connection: GeminiConnection = {}): GeminiSdk {
  const { fetch, baseURL, headers, clientOptions } = connection;
  const options = {
    apiKey: findKey(connection, "GEMINI_API_KEY", "GOOGLE_API_KEY"),
    httpOptions: { ...pickDefined({ fetch, baseUrl: baseURL }), ...(headers && { headers: { ...headers } }) },
    ...clientOptions,
  };
  const sdk = new GoogleGenAI(options);
  return sdk.vertexai ? sdk : new GoogleGenAI({ apiVersion: "v1beta", ...options });
}

/** The used part of the official client; any `GoogleGenAI` object fits. */
export interface GeminiSdk {
  readonly models: {
    generateContent(parameters: object): Promise<object>;
    generateContentStream(parameters: object): Promise<AsyncIterable<object>>;
  };
}

export interface GeminiConnection extends Connection {
  /** Used unchanged. Pass the engine's fetch to it yourself as `httpOptions.fetch`. */
  readonly client?: GeminiSdk;
}
