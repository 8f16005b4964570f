import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { S3Address } from "../../src/remote/address.ts";
import { listening } from "./a-listener.ts";
import { s3At } from "./servers.ts";

export interface ScriptedReply {
  readonly status: number;
  /** The code of an error. */
  readonly code?: string;
  readonly body?: string;
}

/** A bucket in memory that answers as S3 does, for machines without a server. A test may answer in its place. */
export async function aScriptedS3(
  answer: (request: IncomingMessage) => ScriptedReply | undefined = () => undefined,
): Promise<{ readonly address: S3Address; readonly requests: readonly IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    requests.push(request);
    void buffer(request).then((body) => {
      const scripted = answer(request);
      if (scripted === undefined) {
        const found = fromBucket(objects, request, body);
        return response.writeHead(found.status).end(found.body);
      }
      const { status, code, body: text } = scripted;
      return response
        .writeHead(status)
        .end(text ?? (code === undefined ? "" : `<Error><Code>${code}</Code></Error>`));
    });
  });
  onTestFinished(() => server.closeAllConnections());
  return { address: s3At(await listening(server)), requests };
}

const PAGE = 50;

function fromBucket(
  objects: Map<string, Buffer>,
  { method, url = "" }: IncomingMessage,
  body: Buffer,
): { readonly status: number; readonly body: Buffer | string } {
  const { pathname, searchParams } = new URL(url, "http://bucket");
  const key = decodeURIComponent(pathname.replace(/^\/team\//, ""));
  if (method === "PUT") {
    objects.set(key, body);
    return { status: 200, body: "" };
  }
  if (!searchParams.has("list-type")) {
    const found = objects.get(key);
    return found
      ? { status: 200, body: found }
      : { status: 404, body: "<Error><Code>NoSuchKey</Code></Error>" };
  }
  const start = Number(searchParams.get("continuation-token") ?? 0);
  const prefix = searchParams.get("prefix") ?? "";
  const all = [...objects.keys()].filter((name) => name.startsWith(prefix)).sort();
  const names = all.slice(start, start + PAGE).map((name) => `<Key>${encodeURIComponent(name)}</Key>`);
  const next =
    start + PAGE < all.length ? `<NextContinuationToken>${start + PAGE}</NextContinuationToken>` : "";
  const text = `<EncodingType>url</EncodingType><IsTruncated>${next !== ""}</IsTruncated>${next}${names.join("")}`;
  return { status: 200, body: `<ListBucketResult>${text}</ListBucketResult>` };
}
