import type { S3Address } from "../address/remote-address.ts";
import type { RemoteAccess } from "../remote-store.ts";
import type { Bucket } from "./bucket.ts";
import { codeOfReply, s3Failure } from "./s3-failures.ts";
import type { HttpReply } from "./send.ts";

/** The headers under which a server adds only where nothing stands. */
export type Conditions = Readonly<Record<string, string>>;

const BY_STANDARD: Conditions = { "if-none-match": "*" };
/** Google's own spelling, for writes. Source: cloud.google.com/storage/docs/request-preconditions, 2026-11. */
const BY_GENERATION: Conditions = { "x-goog-if-generation-match": "0" };

const BODY = Buffer.from("Tapedeck finds out here whether it can add objects without replacing any.\n");
const NOT_KEPT =
  "the server takes no notice of If-None-Match, so that two writers could replace each other's recordings";

/**
 * Whether objects can be added, by adding one: the first time it is made, and from then on it stands there and has to be
 * refused. It is never removed, since that would take one more right.
 */
export async function probeWriting(
  bucket: Bucket,
  address: S3Address,
  signal: AbortSignal,
): Promise<{ readonly access: RemoteAccess; readonly conditions: Conditions }> {
  const isGoogle = new URL(address.endpoint).hostname.endsWith("storage.googleapis.com");
  let access: RemoteAccess = { mayWrite: false, why: NOT_KEPT };
  for (const conditions of isGoogle ? [BY_STANDARD, BY_GENERATION] : [BY_STANDARD]) {
    access = await probeWith(conditions, { bucket, address, signal });
    if (access.mayWrite || access.why !== NOT_KEPT) return { access, conditions };
  }
  return { access, conditions: {} };
}

interface Probe {
  readonly bucket: Bucket;
  readonly address: S3Address;
  readonly signal: AbortSignal;
}

async function probeWith(conditions: Conditions, { bucket, address, signal }: Probe): Promise<RemoteAccess> {
  const put = (): Promise<HttpReply> =>
    bucket.ask(
      { method: "PUT", key: `${address.prefix}.tapedeck-probe`, headers: conditions, body: BODY },
      signal,
    );
  const first = await put();
  // Made at this moment by another who finds out the same, or made now: then it has to be refused the second time.
  const reply = first.status === 200 || first.status === 409 ? await put() : first;
  if (reply.status === 412) return { mayWrite: true };
  if (reply.status === 200) return { mayWrite: false, why: NOT_KEPT };
  const code = codeOfReply(reply);
  if (reply.status === 501 || code === "NotImplemented") return { mayWrite: false, why: NOT_KEPT };
  if (reply.status === 403 && (code === "AccessDenied" || code === ""))
    return { mayWrite: false, why: "its credentials may not put objects there" };
  // What is full today may have room tomorrow: adding says so, each time.
  if (reply.status === 507) return { mayWrite: true };
  throw s3Failure(address.name, reply);
}
