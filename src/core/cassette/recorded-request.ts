import type { Call, WireHeaders } from "../call.ts";
import { contentTypeOf } from "../wire/content-type.ts";
import type { RecordedRequest } from "./recording.ts";
import { withoutCredentials } from "./secrets.ts";

/**
 * What of a call is kept and shown: of its headers only the content type and `kept`, of its query no credential.
 * Without `kept` nobody knows whether others of its headers matter.
 */
export function recordedRequest(
  { provider, method, path, headers, body }: Pick<Call, "provider" | "method" | "path" | "headers" | "body">,
  kept: WireHeaders | undefined,
): RecordedRequest {
  const asked = { method, path: withoutCredentials(path, provider), body, ...contentTypeOf(headers) };
  return kept === undefined ? asked : { ...asked, headers: kept };
}
