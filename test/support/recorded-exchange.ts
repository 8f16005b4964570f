import { resolve } from "node:path";
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
  };
  readonly reply: { readonly status: number; readonly contentType: string; readonly body: Uint8Array };
}

/** Something of the data that is no call over HTTP, and why. */
export interface ExcludedItem {
  readonly source: string;
  readonly reason: string;
}

export const SHARED_DATA = resolve(import.meta.dirname, "../../../shared/data");

/** As the provider's table recognises a call. */
export function operationOf(
  providers: ProviderTable,
  { provider, request }: Pick<RecordedExchange, "provider" | "request">,
): string {
  return providers.protocolFor({ provider, ...request })?.protocol.operation ?? "http";
}
