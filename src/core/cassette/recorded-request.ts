import type { Call } from "../call.ts";
import { contentTypeOf } from "../wire/content-type.ts";
import type { RecordedRequest } from "./recording.ts";
import { withoutCredentials } from "./secrets.ts";

/** What of a call is kept and shown: of its headers only the content type, of its query no credential. */
export function recordedRequest({
  method,
  path,
  headers,
  body,
}: Pick<Call, "method" | "path" | "headers" | "body">): RecordedRequest {
  return { method, path: withoutCredentials(path), body, ...contentTypeOf(headers) };
}
