import type { ProviderTable } from "../../src/core/protocol/registry.ts";

/** One call of real traffic as it goes over the wire, and the reply that a provider gave to it. */
export interface RecordedExchange {
  /** The file it comes from and its place in it. */
  readonly source: string;
  readonly provider: string;
  /** As the provider's table recognises it; "http" where it does not. */
  readonly operation: string;
  readonly request: {
    readonly method: string;
    /** The provider's own path and query. */
    readonly path: string;
    readonly body: Uint8Array;
    readonly contentType?: string;
    /** Other headers that decide what is asked, in lower case. */
    readonly headers?: Readonly<Record<string, string>>;
    /** Set where only the reply was recorded. */
    readonly isMadeUp?: true;
  };
  readonly reply: { readonly status: number; readonly contentType: string; readonly body: Uint8Array };
}

/** Something of the data that is no call over HTTP, and why. */
export interface ExcludedItem {
  readonly source: string;
  readonly reason: string;
}

/** As the provider's table recognises a call. */
export function operationOf(
  providers: ProviderTable,
  { provider, request }: Pick<RecordedExchange, "provider" | "request">,
): string {
  const { method, path, headers = {} } = request;
  const call = { provider, method, path, headers: Object.entries(headers) };
  return providers.protocolFor(call)?.protocol.operation ?? "http";
}
