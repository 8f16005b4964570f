import type { S3Address } from "../address/remote-address.ts";
import { notReached, readOnly, remoteFailure, tooLarge } from "../failures.ts";
import { notEncrypted } from "../network-failure.ts";
import {
  expectName,
  expectPrefix,
  isObjectName,
  type RemoteStore,
  type OpenOptions,
} from "../remote-store.ts";
import { createBucket, type Bucket } from "./bucket.ts";
import { probeWriting, type Conditions } from "./probe-writing.ts";
import { textOfElement, textsOfElement } from "./read-xml.ts";
import { createRenewal } from "./renewal.ts";
import { codeOfReply, s3Failure } from "./s3-failures.ts";
import { TooManyBytes, type HttpReply } from "./send.ts";
import { pickDefined } from "../../core/pick-defined.ts";

/**
 * Objects in a bucket of S3 or a server that speaks it: `If-None-Match: *` adds. A server that takes no notice of that
 * is only read from.
 * @throws TapedeckError `tapedeck_remote` where it cannot be used
 */
export async function openS3(address: S3Address, options: OpenOptions): Promise<RemoteStore> {
  const { name, prefix } = address;
  const bucket = createBucket(address, options.limits);
  const { access, conditions } = await probe(bucket, address, options).catch((error: unknown) => {
    bucket.close();
    throw error;
  });
  const renewal = createRenewal(bucket, address);

  return {
    name,
    access,
    notes: address.endpoint.startsWith("https:")
      ? []
      : notEncrypted(name, new URL(address.endpoint).hostname),
    async get(object, signalOfCall) {
      expectName(object);
      const reply = await bucket
        .ask({ method: "GET", key: prefix + object }, signalOfCall)
        .catch(largeTo(name, object));
      if (reply.status === 404 && NONE.has(codeOfReply(reply))) return undefined;
      if (reply.status !== 200) throw s3Failure(name, reply, object);
      renewal.note(object, reply);
      return reply.body;
    },
    async add(object, bytes, signalOfCall) {
      expectName(object);
      if (!access.mayWrite) throw readOnly(name, access.why);
      const put = { method: "PUT", key: prefix + object, headers: conditions, body: bytes } as const;
      let reply = await bucket.ask(put, signalOfCall);
      // Somebody else adds it or removes it at this moment; the second time it is there or not.
      if (reply.status === 409) reply = await bucket.ask(put, signalOfCall);
      if (reply.status === 412 || reply.status === 409) return "taken";
      if (reply.status !== 200 && reply.status !== 201 && reply.status !== 204)
        throw s3Failure(name, reply, object);
      return "added";
    },
    list(begin, signalOfCall) {
      expectPrefix(begin);
      return listObjects(bucket, address, { begin, signal: signalOfCall });
    },
    async touch(object, signalOfCall) {
      expectName(object);
      if (access.mayWrite) await renewal.renew(object, signalOfCall);
    },
    close() {
      bucket.close();
      return Promise.resolve();
    },
  };
}

/** What servers say of an object that is not there; of other things they say that they are not found too. */
const NONE = new Set(["NoSuchKey", ""]);

async function probe(
  bucket: Bucket,
  address: S3Address,
  { write, signal }: OpenOptions,
): Promise<{ readonly access: RemoteStore["access"]; readonly conditions: Conditions }> {
  await listPage(bucket, address, { begin: "", most: 1, signal });
  if (!write) return { access: { mayWrite: false, why: undefined }, conditions: {} };
  return probeWriting(bucket, address, signal);
}

function largeTo(name: string, object: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof TooManyBytes ? tooLarge(name, object) : error;
  };
}

interface Listing {
  readonly begin: string;
  readonly signal: AbortSignal;
}

interface Page {
  readonly names: readonly string[];
  /** Where the next page goes on; undefined for the last. */
  readonly next: string | undefined;
}

async function* listObjects(
  bucket: Bucket,
  address: S3Address,
  listing: Listing,
): AsyncGenerator<readonly string[]> {
  let next: string | undefined;
  do {
    const page = await listPage(bucket, address, { ...listing, ...pickDefined({ from: next }) });
    // A server that gives the same place again would never end.
    if (page.next !== undefined && page.next === next)
      throw notReached(address.name, "its list does not go on");
    next = page.next;
    if (page.names.length > 0) yield page.names;
  } while (next !== undefined);
}

const PAGE = 1_000;

async function listPage(
  bucket: Bucket,
  { name, prefix }: S3Address,
  { begin, signal, from, most = PAGE }: Listing & { readonly from?: string; readonly most?: number },
): Promise<Page> {
  const query = {
    "list-type": "2",
    "encoding-type": "url",
    "max-keys": String(most),
    prefix: prefix + begin,
    ...pickDefined({ "continuation-token": from }),
  };
  const reply = await bucket.ask({ method: "GET", query }, signal);
  if (reply.status !== 200) throw s3Failure(name, reply);
  const xml = listOf(name, reply);
  const isEncoded = textOfElement(xml, "EncodingType") === "url";
  const keys = [...textsOfElement(xml, "Key")].map((key) => (isEncoded ? decodedKey(key) : key));
  const names = keys.filter((key) => key.startsWith(prefix + begin)).map((key) => key.slice(prefix.length));
  const isMore = textOfElement(xml, "IsTruncated") === "true";
  return {
    names: names.filter(isObjectName),
    next: isMore ? textOfElement(xml, "NextContinuationToken") : undefined,
  };
}

function listOf(name: string, { body }: HttpReply): string {
  const xml = body.toString("utf8");
  if (xml.includes("<ListBucketResult") && xml.includes("</ListBucketResult>")) return xml;
  throw remoteFailure("wrong", name, "does not answer as S3 does.", {
    hint: "Check its endpoint: something else listens there.",
  });
}

/** A key that cannot be decoded is nobody's of ours. */
function decodedKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll("+", "%20"));
  } catch {
    return "";
  }
}
