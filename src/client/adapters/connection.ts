import { PLACEHOLDER_KEY } from "../../core/source/forward.ts";

/** How an adapter reaches its provider. */
export interface Connection {
  /** The engine's: `deck.fetch(run)`. Without it calls go to the provider, unseen and unrecorded. */
  readonly fetch?: typeof globalThis.fetch;
  /** Default: the provider's own environment variable. Strict and lenient runs need none. */
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further options of the SDK's client, as it names them. */
  readonly clientOptions?: Readonly<Record<string, unknown>>;
}

/** Limits of one request, beside its body. */
export interface RequestLimits {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The key that was given, or the first of these variables that is set. SDKs insist on one even where nothing is sent:
 * then it is the engine's placeholder.
 */
export function keyFor(connection: Connection, ...variables: readonly string[]): string {
  const found = variables
    .map((name) => process.env[name])
    .find((value) => value !== undefined && value !== "");
  return connection.apiKey ?? found ?? PLACEHOLDER_KEY;
}
