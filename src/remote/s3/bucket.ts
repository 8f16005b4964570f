import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { isTapedeckError } from "../../core/errors.ts";
import type { S3Address } from "../address/remote-address.ts";
import { codeOf } from "../../storage/folder/failures.ts";
import { faultOf } from "../failures.ts";
import { mayBeTls, networkFailure } from "../network-failure.ts";
import { createPatience, type PatienceLimits, type Waiting } from "../patience.ts";
import { MOST_BYTES } from "../remote-store.ts";
import { createSender, TooManyBytes, type HttpReply, type Sender } from "./send.ts";
import { pickDefined } from "../../core/pick-defined.ts";

interface BucketRequest {
  readonly method: "GET" | "PUT";
  /** A key within the bucket; without it the bucket itself is asked. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface Bucket {
  /** @throws TapedeckError `tapedeck_remote` where there is no reply; whatever is replied is given back. */
  ask(request: BucketRequest, signal: AbortSignal): Promise<HttpReply>;
  close(): void;
}

const NOTHING = new Uint8Array(0);
const SCHEMES = ["http://", "https://"] as const;

export function createBucket(address: S3Address, limits?: PatienceLimits): Bucket {
  const { name } = address;
  const patience = createPatience(name, limits);
  const sender = createSender(address.endpoint);
  const signingKeys = new Map<string, ArrayBuffer>();
  const tls = address.endpoint.startsWith("https:");
  let wasUp = false;

  return {
    async ask(request, signal) {
      const { body = NOTHING } = request;
      try {
        const reply = await patience.wait(
          (waiting) =>
            askPatiently(sender, () => signRequest(address, request, signingKeys), { body, waiting }),
          { signal, ...(request.body !== undefined && { sizeBytes: body.byteLength }) },
        );
        wasUp = true;
        return reply;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const isSign = tls ? faultOf(error) === "slow" : codeOf(error) === "ECONNRESET";
        if (!wasUp && isSign) throw mayBeTls(name, { tls, schemes: SCHEMES }, error);
        if (isTapedeckError(error) || error instanceof TooManyBytes) throw error;
        throw networkFailure(name, error);
      }
    },
    close: () => sender.close(),
  };
}

/** Asked again after so long where a server has too much to do for the moment, as its makers ask for. */
const AGAIN_MS = [100, 400];
const TRY_AGAIN = new Set([429, 500, 502, 503, 504]);

async function askPatiently(
  sender: Sender,
  sign: () => Promise<SignedRequest>,
  { body, waiting }: { readonly body: Uint8Array; readonly waiting: Waiting },
): Promise<HttpReply> {
  for (let attempt = 0; ; attempt += 1) {
    const reply = await sender.send({ ...(await sign()), body }, waiting, MOST_BYTES);
    const againMs = AGAIN_MS[attempt];
    if (againMs === undefined || !TRY_AGAIN.has(reply.status)) return reply;
    await setTimeout(againMs * (0.5 + Math.random()), undefined, { signal: waiting.signal });
    waiting.alive();
  }
}

interface SignedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** With a signature over the body too: what arrives otherwise is not kept. */
async function signRequest(
  address: S3Address,
  { method, key, query = {}, headers = {}, body = NOTHING }: BucketRequest,
  cache: Map<string, ArrayBuffer>,
): Promise<SignedRequest> {
  const { accessKeyId, secretAccessKey, sessionToken } = address.credentials;
  const signer = new AwsV4Signer({
    method,
    url: urlOf(address, key, query),
    headers: { ...headers, "x-amz-content-sha256": createHash("sha256").update(body).digest("hex") },
    service: "s3",
    region: address.region,
    accessKeyId,
    secretAccessKey,
    ...pickDefined({ sessionToken }),
    cache,
  });
  const { url, headers: all } = await signer.sign();
  return { method, url: url.href, headers: Object.fromEntries(all as Iterable<[string, string]>) };
}

function urlOf(
  { endpoint, bucket, style }: S3Address,
  key: string | undefined,
  query: Readonly<Record<string, string>>,
): string {
  const url = new URL(endpoint);
  if (style === "host") url.hostname = `${bucket}.${url.hostname}`;
  const path = (key ?? "").split("/").map(encodeURIComponent).join("/");
  url.pathname = style === "host" ? `/${path}` : `/${bucket}/${path}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  // Spaces never occur; a plus sign would be read as one.
  url.search = url.search.replaceAll("+", "%20");
  return url.href;
}
