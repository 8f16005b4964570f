import { Ollama } from "ollama/browser";
import { readFields, tryParsePlainJson } from "../../../core/base/lenient.ts";
import type { Connection } from "./connection.ts";
import { chatError } from "../../../client/errors.ts";
import { readEnvironmentVariables } from "../../../client/environment.ts";

/**
 * Makes a client for one request. The SDK does not take signals, so that the request's signal is passed to the client's
 * fetch. `ollama/browser` is the SDK without access to files, which it would read for images given as paths.
 */
export function createOllamaSdk(connection: OllamaConnection, signal: AbortSignal | undefined): OllamaSdk {
  if (connection.client !== undefined) return connection.client;
  const { host, baseURL, fetch: send = globalThis.fetch, headers, clientOptions } = connection;
  const key = connection.apiKey ?? readEnvironmentVariables()["OLLAMA_API_KEY"];
  return new Ollama({
    host: host ?? baseURL ?? (readEnvironmentVariables()["OLLAMA_HOST"] || "http://127.0.0.1:11434"),
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
    fetch: async (input, init) =>
      expectRecorded(
        await send(input, {
          ...init,
          signal: AbortSignal.any([signal, init?.signal].flatMap((one) => one ?? [])),
        }),
      ),
    ...clientOptions,
  });
}

/** Detects a miss, because the SDK's errors have neither code nor headers. @throws ChatError "not-recorded" */
async function expectRecorded(response: Response): Promise<Response> {
  if (response.headers.get("x-tapedeck-outcome") !== "miss") return response;
  const { error } = readFields(tryParsePlainJson(await response.text()));
  const { status } = response;
  throw chatError("not-recorded", String(error), { provider: "ollama", status });
}

/** The used part of the official client; any `Ollama` object fits. */
export interface OllamaSdk {
  chat(request: object): Promise<unknown>;
}

export interface OllamaConnection extends Connection {
  /** E.g. `http://127.0.0.1:11434`. Default: OLLAMA_HOST. */
  readonly host?: string;
  /** Used unchanged. Pass the engine's fetch to it yourself. It does not take signals for whole answers. */
  readonly client?: OllamaSdk;
}
