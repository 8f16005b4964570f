import { Ollama } from "ollama/browser";
import { fieldsOf, jsonIn } from "../../../core/base/lenient.ts";
import type { Connection, RequestLimits } from "../adapter.ts";
import { chatError } from "../../errors.ts";
import { anySignal } from "../../wrap/time-limit.ts";
import { environmentVariables } from "../../environment.ts";

/**
 * A client for one request: the SDK has no signals of its own, so the request's go with the client's fetch.
 * `ollama/browser` is the SDK without reading files, which it would do for images given as paths.
 */
export function ollamaSdk(connection: OllamaConnection = {}, limits: RequestLimits = {}): OllamaSdk {
  if (connection.client !== undefined) return connection.client;
  const { host, baseURL, fetch: send = globalThis.fetch, headers, clientOptions } = connection;
  const key = connection.apiKey ?? environmentVariables()["OLLAMA_API_KEY"];
  return new Ollama({
    host: host ?? baseURL ?? (environmentVariables()["OLLAMA_HOST"] || "http://127.0.0.1:11434"),
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers, ...limits.headers },
    fetch: async (input, init) =>
      expectRecorded(await send(input, { ...init, signal: anySignal(limits.signal, init?.signal) })),
    ...clientOptions,
  });
}

/** The SDK's errors keep neither code nor headers, so a miss is told here. @throws ChatError "not-recorded" */
async function expectRecorded(response: Response): Promise<Response> {
  if (response.headers.get("x-tapedeck-outcome") !== "miss") return response;
  const { error } = fieldsOf(jsonIn(await response.text()));
  const { status } = response;
  throw chatError("not-recorded", String(error), { provider: "ollama", status });
}

/** As much of the official client as is used; an `Ollama` of your own fits. */
export interface OllamaSdk {
  chat(request: object): Promise<unknown>;
}

export interface OllamaConnection extends Connection {
  /** E.g. `http://127.0.0.1:11434`, also what OLLAMA_HOST says. */
  readonly host?: string;
  /** Used as it is: give it the engine's fetch yourself. It knows no signals for answers that come whole. */
  readonly client?: OllamaSdk;
}
