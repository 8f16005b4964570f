import { Ollama } from "ollama/browser";
import { NO_KEY, keyFor, type RequestLimits } from "../connection.ts";
import type { OllamaConnection, OllamaSdk } from "./connection.ts";

/**
 * A client for one request: the SDK has no signals of its own, so the request's go with the client's fetch.
 * `ollama/browser` is the SDK without reading files, which it would do for images given as paths.
 */
export function ollamaSdk(connection: OllamaConnection = {}, limits: RequestLimits = {}): OllamaSdk {
  if (connection.client !== undefined) return connection.client;
  const { host, baseURL, fetch: send = globalThis.fetch, headers, clientOptions } = connection;
  const key = keyFor(connection, "OLLAMA_API_KEY");
  const signals = [limits.signal, timeoutOf(limits)].filter((signal) => signal !== undefined);
  return new Ollama({
    host: host ?? baseURL ?? (process.env["OLLAMA_HOST"] || "http://127.0.0.1:11434"),
    headers: {
      ...(key !== NO_KEY && { authorization: `Bearer ${key}` }),
      ...headers,
      ...limits.headers,
    },
    fetch: (input, init) => send(input, { ...init, signal: joined(signals, init?.signal) }),
    ...clientOptions,
  });
}

function timeoutOf({ timeoutMs }: RequestLimits): AbortSignal | undefined {
  return timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
}

function joined(signals: readonly AbortSignal[], own: AbortSignal | null | undefined): AbortSignal {
  return AbortSignal.any(own ? [...signals, own] : [...signals]);
}
