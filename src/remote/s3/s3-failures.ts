import type { TapedeckError } from "../../core/errors.ts";
import { isFull, notReached, objectFailure, remoteFailure, type RemoteFault } from "../failures.ts";
import { textOfElement } from "./read-xml.ts";
import type { HttpReply } from "./send.ts";

interface Meaning {
  readonly fault: RemoteFault;
  readonly what: string;
  readonly hint: string;
}

const CREDENTIALS =
  "Check the access key id and the secret access key; those named TAPEDECK_REMOTE_… come before those named AWS_….";
const RENEW = {
  fault: "wrong",
  what: "says that the credentials have expired.",
  hint: "Get new ones, and run again.",
} as const;
const UNKNOWN = { fault: "wrong", what: "does not know these credentials.", hint: CREDENTIALS } as const;
const WRONG_KEY = {
  fault: "wrong",
  what: "says that the signature is wrong: the secret access key is not the one of the access key id.",
  hint: CREDENTIALS,
} as const;
const CLOCK = {
  fault: "wrong",
  what: "says that the clock of this machine is wrong",
  hint: "Set the clock, and run again.",
} as const;
const DENIED = {
  fault: "wrong",
  what: "denies access.",
  hint: "Reading takes s3:GetObject and s3:ListBucket, writing s3:PutObject, each on the bucket and prefix.",
} as const;

/** By the error's code. Source: docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html, 2026-11. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  AccessDenied: DENIED,
  AllAccessDisabled: DENIED,
  AccountProblem: DENIED,
  ExpiredToken: RENEW,
  TokenRefreshRequired: RENEW,
  InvalidToken: UNKNOWN,
  InvalidAccessKeyId: UNKNOWN,
  InvalidSecurity: UNKNOWN,
  XAdminUserNotFound: UNKNOWN,
  SignatureDoesNotMatch: WRONG_KEY,
  RequestTimeTooSkewed: CLOCK,
  RequestExpired: CLOCK,
  NoSuchBucket: {
    fault: "wrong",
    what: "has no such bucket.",
    hint: "Make the bucket, or correct its name, region or endpoint.",
  },
  InvalidBucketName: {
    fault: "wrong",
    what: "takes this name of a bucket for none.",
    hint: "Correct the name, or try style=path or style=host.",
  },
};

const FULL = new Set([
  "QuotaExceeded",
  "XMinioStorageFull",
  "InsufficientStorage",
  "InsufficientCapacity",
  "EntityTooLarge",
]);

/** The code in the body of a reply that is an error; "" where there is none. */
export function codeOfReply({ body }: HttpReply): string {
  return textOfElement(body.toString("utf8", 0, 65_536), "Code") ?? "";
}

/** What a reply means that is not what was asked for. `object` is what it was about. */
export function s3Failure(name: string, reply: HttpReply, object?: string): TapedeckError {
  const { status, headers, body } = reply;
  const code = codeOfReply(reply);
  const text = body.toString("utf8", 0, 65_536);
  const region = regionOf(reply, text);
  if (region !== undefined)
    return remoteFailure("wrong", name, `is in another region: ${region}.`, {
      hint: `Write region=${region} in its address.`,
    });
  const meaning = MEANINGS[code];
  if (meaning !== undefined) {
    const { fault, what, hint } = meaning;
    return remoteFailure(fault, name, meaning === CLOCK ? `${what}${skewOf(headers.date)}.` : what, { hint });
  }
  if (FULL.has(code) || status === 507) return isFull(name, code === "" ? "no room is left" : code);
  if (code === "InvalidObjectState" && object !== undefined)
    return objectFailure(name, `keeps ${object} in an archive, from where it is not read.`);
  if (status >= 300 && status < 400)
    return remoteFailure("wrong", name, "leads elsewhere, and no redirect is followed.", {
      hint: "Correct region or endpoint in its address.",
    });
  if (status === 401 || status === 403) return remoteFailure(DENIED.fault, name, DENIED.what, DENIED);
  if (status >= 500 || status === 429)
    return notReached(name, `it answers with status ${status}${code === "" ? "" : ` (${code})`}`);
  return remoteFailure("wrong", name, `answers with status ${status}${code === "" ? "" : ` (${code})`}.`, {
    hint: "Check that its endpoint speaks S3, and that bucket and prefix are right.",
  });
}

/** Where a bucket is, as a server says that was asked in another region. */
function regionOf({ status, headers }: HttpReply, text: string): string | undefined {
  if (status !== 301 && status !== 307 && status !== 400) return undefined;
  const named = headers["x-amz-bucket-region"] ?? textOfElement(text, "Region");
  return typeof named === "string" && /^[a-z0-9-]{2,40}$/.test(named) ? named : undefined;
}

function skewOf(date: string | undefined): string {
  const skewMs = Date.now() - Date.parse(date ?? "");
  if (Number.isNaN(skewMs) || Math.abs(skewMs) < 60_000) return "";
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  return `: it is ${minutes} minutes ${skewMs > 0 ? "ahead" : "behind"}`;
}
