import type { Recording } from "../../cassette/recording.ts";
import type { WireHeaders } from "../../call/call.ts";
import { jsonOf } from "../../base/read-body.ts";
import type { ProviderTable } from "../../protocol/registry.ts";
import { withContentType } from "../../base/wire/text.ts";

/** A recording as another tool's file tells it: whole addresses, and the header that says what a body is. */
export interface ExportedCall {
  readonly url: string;
  readonly requestHeaders: WireHeaders;
  readonly replyHeaders: WireHeaders;
  readonly recording: Recording;
}

/**
 * The call with an address as its provider has it. One that has none here gets a name that no machine has
 * (`https://bedrock.invalid`); import knows whose it is, since the file says that too.
 */
export function exportedCall(recording: Recording, providers: ProviderTable): ExportedCall {
  const { provider, operation, request, reply } = recording;
  const upstream = providers.get(provider)?.upstream ?? `https://${provider}.invalid`;
  return {
    url: upstream + request.path,
    requestHeaders: withContentType(
      // Tells a request whose headers are known, if there were none, from one of which nobody knows them.
      request.headers === undefined ? [] : [["host", new URL(upstream).host], ...request.headers],
      request.contentType ??
        (jsonOf({ ...request, operation }) === undefined ? undefined : "application/json"),
    ),
    replyHeaders: withContentType([], reply.contentType),
    recording,
  };
}
