import type { Recording } from "../../cassette/recording.ts";
import type { WireHeaders } from "../../call/call.ts";
import { readJson } from "../../base/read-body.ts";
import { rewriteHeaderAddresses } from "../../protocol/kept-headers.ts";
import type { ProviderTable } from "../../protocol/registry.ts";
import { withContentType } from "../../base/wire/text.ts";

/** A recording for another tool's file: with whole URLs, and with the content types among the headers. */
export interface ExportedCall {
  readonly url: string;
  readonly requestHeaders: WireHeaders;
  readonly replyHeaders: WireHeaders;
  readonly recording: Recording;
}

/** Returns the origins of the values in a request, by value. Without them, an import has another key. */
export const listOrigins = ({
  request: { values },
}: Recording): Readonly<Record<string, string>> | undefined =>
  values && Object.fromEntries(values.map(({ text, origin }) => [text, origin]));

/**
 * Completes a call with the address of its provider. A provider without an address gets a reserved host name
 * (`https://bedrock.invalid`); the file names the provider for a later import.
 */
export function createExportedCall(recording: Recording, providers: ProviderTable): ExportedCall {
  const { provider, operation, request, reply } = recording;
  const upstream = providers.get(provider)?.upstream ?? `https://${provider}.invalid`;
  return {
    url: upstream + request.path,
    requestHeaders: withContentType(
      // The host header marks requests whose headers are known, even if there were none.
      request.headers === undefined ? [] : [["host", new URL(upstream).host], ...request.headers],
      request.contentType ??
        (readJson({ ...request, operation }) === undefined ? undefined : "application/json"),
    ),
    replyHeaders: withContentType(rewriteHeaderAddresses(upstream, reply.headers ?? []), reply.contentType),
    recording,
  };
}
