import type { S3Address } from "../address/remote-address.ts";
import type { Bucket } from "./bucket.ts";
import { s3Failure } from "./s3-failures.ts";
import type { HttpReply } from "./send.ts";

/** Gives objects that are read the life of new ones, where the bucket's rules remove what is old. */
export interface Renewal {
  /** Remembers how old an object is that was read. */
  note(object: string, reply: HttpReply): void;
  /** Copies an object onto itself where half of its life is over. */
  renew(object: string, signal: AbortSignal): Promise<void>;
}

interface Age {
  readonly modified: number;
  readonly etag: string;
}

/** Objects whose age is remembered; the first of them are forgotten first. */
const REMEMBERED = 10_000;

export function createRenewal(
  bucket: Bucket,
  { name, bucket: bucketName, prefix, expireSeconds }: S3Address,
): Renewal {
  const ages = new Map<string, Age>();
  const isOld = ({ modified }: Age): boolean =>
    expireSeconds !== undefined && Date.now() - modified > (expireSeconds * 1_000) / 2;

  return {
    note(object, { headers }) {
      const modified = Date.parse(headers["last-modified"] ?? "");
      const { etag } = headers;
      if (Number.isNaN(modified) || etag === undefined || !isOld({ modified, etag })) return;
      const [first] = ages.keys();
      if (ages.size >= REMEMBERED && first !== undefined) ages.delete(first);
      ages.set(object, { modified, etag });
    },
    async renew(object, signal) {
      const age = ages.get(object);
      if (age === undefined) return;
      ages.delete(object);
      const key = prefix + object;
      const source = `/${bucketName}/${key}`.split("/").map(encodeURIComponent).join("/");
      const headers = {
        "x-amz-copy-source": source,
        // Only the same bytes in the same place, or nothing.
        "x-amz-copy-source-if-match": age.etag,
        "x-amz-metadata-directive": "REPLACE",
      };
      const reply = await bucket.ask({ method: "PUT", key, headers }, signal);
      // It went or was renewed by another, or copying is not among the rights: its life is no condition for reading it.
      if ([200, 403, 404, 412].includes(reply.status)) return;
      throw s3Failure(name, reply, object);
    },
  };
}
