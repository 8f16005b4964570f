import { localize } from "../core/base/localize.ts";
import { createHash } from "node:crypto";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { setTimeout } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { isLoopback } from "../core/protocol/upstream-address.ts";
import { pickDefined } from "../core/base/pick-defined.ts";
import { getErrorCode } from "../storage/folder/failures.ts";
import { checkInSpiteOf, findAgent, IDLE_MS } from "../server/upstream/proxy.ts";
import type { S3Address } from "./address.ts";
import {
  createAccessDeniedError,
  convertNetworkFailure,
  createNotReachedError,
  createRemoteFailure,
} from "./failures.ts";
import type { StorageEngine } from "./engine.ts";

interface Reply {
  readonly status: number;
  readonly body: Buffer;
}

interface BucketRequest {
  readonly method: "GET" | "PUT";
  /** A key in the bucket; without it the bucket itself is asked. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** Sends a request, signed anew for each attempt. Rejects only if there is no reply. */
type Send = (request: BucketRequest, signal: AbortSignal) => Promise<Reply>;

/** Objects in a bucket of S3, or of a server that speaks it. */
export function openS3(address: S3Address): StorageEngine {
  const { name, prefix } = address;
  const agent = new (address.endpoint.startsWith("https:") ? https : http).Agent({
    keepAlive: true,
    timeout: IDLE_MS,
    maxSockets: 64,
  });
  const send = createSender(address, agent);
  return {
    async get(object, signal) {
      const reply = await send({ method: "GET", key: prefix + object }, signal);
      if (reply.status === 200) return reply.body;
      // Servers also answer 404 for a bucket that is not there.
      if (reply.status === 404 && ["NoSuchKey", ""].includes(codeIn(reply))) return undefined;
      throw replyFailure(name, reply);
    },
    async put(object, body, signal) {
      const reply = await send({ method: "PUT", key: prefix + object, body }, signal);
      if (reply.status < 200 || reply.status > 204) throw replyFailure(name, reply);
    },
    async list(begin, signal) {
      const names: string[] = [];
      let token: string | undefined;
      do {
        const query = {
          "list-type": "2",
          "encoding-type": "url",
          prefix: prefix + begin,
          ...pickDefined({ "continuation-token": token }),
        };
        const reply = await send({ method: "GET", query }, signal);
        const xml = reply.body.toString("utf8");
        if (reply.status !== 200) throw replyFailure(name, reply);
        if (!xml.includes("</ListBucketResult>")) throw notS3(name);
        const isEncoded = elementsOf(xml, "EncodingType")[0] === "url"; // not every server does
        for (const key of elementsOf(xml, "Key").map(isEncoded ? decodeKey : String))
          if (key.startsWith(prefix + begin)) names.push(key.slice(prefix.length));
        const [next] =
          elementsOf(xml, "IsTruncated")[0] === "true" ? elementsOf(xml, "NextContinuationToken") : [];
        if (next !== undefined && next === token) throw notS3(name); // would never end
        token = next;
      } while (token !== undefined);
      return names;
    },
    close: () => agent.destroy(),
    failureOf: (error) => convertNetworkFailure(name, error),
  };
}

/** Waiting times before a request is repeated that a busy server refused, as S3 asks its clients to. */
const RETRY_MS = [100, 400];
const BUSY = new Set([429, 500, 502, 503, 504]);

function createSender(address: S3Address, agent: http.Agent | https.Agent): Send {
  return async (request, signal) => {
    for (let attempt = 0; ; attempt += 1) {
      const retryMs = RETRY_MS[attempt];
      try {
        const reply = await sendOnce(address, request, { agent, signal });
        if (retryMs === undefined || !BUSY.has(reply.status)) return reply;
      } catch (error) {
        // The server closed a kept connection at the moment when it was used again.
        if (retryMs === undefined || getErrorCode(error) !== "ECONNRESET" || signal.aborted) throw error;
      }
      await setTimeout(retryMs * (0.5 + Math.random()), undefined, { signal });
    }
  };
}

/** The hooks of a test process leave a connection with this mark alone. */
const DIRECT = { [Symbol.for("tapedeck.direct")]: true };
const NOTHING = new Uint8Array(0);

async function sendOnce(
  address: S3Address,
  request: BucketRequest,
  { agent, signal }: { readonly agent: http.Agent | https.Agent; readonly signal: AbortSignal },
): Promise<Reply> {
  const { method, body = NOTHING } = request;
  const { url, headers } = await sign(address, request);
  const { protocol, hostname } = new URL(address.endpoint);
  const proxy = isLoopback(hostname) ? undefined : await findAgent(url);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sending = (protocol === "https:" ? https : http).request(url, {
      method,
      signal,
      headers: {
        ...headers,
        "accept-encoding": "identity",
        ...(method === "PUT" && { "content-length": String(body.byteLength) }),
      },
      agent: proxy ?? agent,
      ...DIRECT,
      ...checkInSpiteOf(process.env),
    });
    sending.once("response", resolve);
    sending.on("error", reject);
    sending.end(body);
  });
  const pieces: Buffer[] = [];
  for await (const piece of response as AsyncIterable<Buffer>) pieces.push(piece);
  return { status: response.statusCode ?? 0, body: Buffer.concat(pieces) };
}

/** Signs the body too: a server refuses what arrives changed. */
async function sign(
  { endpoint, bucket, style, region, credentials }: S3Address,
  { method, key = "", query = {}, body = NOTHING }: BucketRequest,
): Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }> {
  const url = new URL(endpoint);
  if (style === "host") url.hostname = `${bucket}.${url.hostname}`;
  const path = key.split("/").map(encodeURIComponent).join("/");
  url.pathname = style === "host" ? `/${path}` : `/${bucket}/${path}`;
  for (const [parameter, value] of Object.entries(query)) url.searchParams.set(parameter, value);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { "x-amz-content-sha256": createHash("sha256").update(body).digest("hex") },
    service: "s3",
    region,
    accessKeyId,
    secretAccessKey,
    ...pickDefined({ sessionToken }),
  });
  const signed = await signer.sign();
  return { url: signed.url.href, headers: Object.fromEntries(signed.headers as Iterable<[string, string]>) };
}

/** The texts of all elements of a name. The two answers that are read, lists and errors, have elements of text alone. */
function elementsOf(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text = ""]) =>
    text.replace(
      /&(amp|lt|gt|quot|apos|#x?[0-9a-fA-F]{1,6});/g,
      (_, entity: string) => ENTITIES[entity] ?? "",
    ),
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  "#34": '"',
  "#39": "'",
};

/** A key that cannot be decoded is none of ours. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll("+", "%20"));
  } catch {
    return "";
  }
}

const codeIn = ({ body }: Reply): string => elementsOf(body.toString("utf8", 0, 65_536), "Code")[0] ?? "";

function notS3(name: string): Error {
  const hint = localize("Correct its endpoint: another program listens there.");
  return createRemoteFailure("wrong", name, localize("does not respond like S3."), { hint });
}

/** Source of the codes: docs.aws.amazon.com, S3 error responses, 2026-11. */
function replyFailure(name: string, reply: Reply): Error {
  const { status, body } = reply;
  const text = body.toString("utf8", 0, 65_536);
  const code = codeIn(reply);
  const [region] = status === 301 || status === 307 || status === 400 ? elementsOf(text, "Region") : [];
  if (region !== undefined)
    return createRemoteFailure("wrong", name, localize("is in the region {0}.", region), {
      hint: localize("Set region={0} in its address.", region),
    });
  const detail =
    code === ""
      ? localize("it answered with status {0}", status)
      : localize("it answered with status {0} ({1})", status, code);
  if (/^RequestTimeTooSkewed|^RequestExpired/.test(code))
    return createAccessDeniedError(name, localize("{0}; correct the clock of this machine", detail));
  if (status === 401 || status === 403) return createAccessDeniedError(name, detail);
  if (status >= 500 || status === 429) return createNotReachedError(name, detail);
  return createRemoteFailure("wrong", name, localize("cannot be used: {0}.", detail), {
    hint: localize("Correct the bucket, region, endpoint, or prefix in its address."),
  });
}
