import { GoogleGenAI } from "@google/genai";
import { keyFor } from "../connection.ts";
import type { GeminiConnection, GeminiSdk } from "./connection.ts";

/** `httpOptions.fetch` is there since version 2 of the SDK. */
export function geminiSdk(connection: GeminiConnection = {}): GeminiSdk {
  if (connection.client !== undefined) return connection.client;
  const { fetch, baseURL, headers, clientOptions } = connection;
  return new GoogleGenAI({
    apiKey: keyFor(connection, "GEMINI_API_KEY", "GOOGLE_API_KEY"),
    httpOptions: {
      ...(fetch && { fetch }),
      ...(baseURL !== undefined && { baseUrl: baseURL }),
      ...(headers && { headers: { ...headers } }),
    },
    ...clientOptions,
  });
}
