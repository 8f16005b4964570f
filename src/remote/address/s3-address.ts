import { wrongUsage } from "../../core/errors.ts";
import { expiryOf, partsOf, prefixOf, wrongAddress } from "./address-faults.ts";
import type { Environment, S3Address, S3Credentials } from "./remote-address.ts";

const PARAMETERS = ["region", "endpoint", "style", "expire"];
const GOOGLE = "https://storage.googleapis.com";

/**
 * `s3://bucket[/prefix][?region=…&endpoint=…&style=path|host&expire=…]`. Region and endpoint of the environment count
 * where they are not in it. `gs://` is Google's storage, which speaks the same with keys for interoperability.
 */
export function readS3Address(address: string, env: Environment): S3Address {
  const url = partsOf(address, PARAMETERS);
  if (url.username !== "" || url.password !== "")
    throw wrongAddress(address, "it has a user or password in it", CREDENTIALS);
  const bucket = url.hostname;
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/.test(bucket) || url.port !== "")
    throw wrongAddress(
      address,
      `"${url.host}" cannot be the name of a bucket`,
      "A bucket has 3 to 63 lower-case letters, digits, dots and hyphens; a server goes into endpoint=https://….",
    );
  const isGoogle = url.protocol === "gs:";
  const own = isGoogle ? GOOGLE : endpointOf(address, url.searchParams.get("endpoint"), env);
  const isR2 = own !== undefined && new URL(own).hostname.endsWith(".r2.cloudflarestorage.com");
  const region = regionOf(address, url, { env, fallback: isGoogle || isR2 ? "auto" : "us-east-1" });
  const prefix = prefixOf(address, url.pathname.replace(/^\/+|\/+$/g, ""));
  return {
    type: "s3",
    name: `${url.protocol}//${bucket}${prefix === "" ? "" : `/${prefix}`}`,
    endpoint: own ?? `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`,
    region,
    bucket,
    prefix: prefix === "" ? "" : `${prefix}/`,
    style:
      styleOf(address, url.searchParams.get("style")) ??
      (own === undefined && !bucket.includes(".") ? "host" : "path"),
    credentials: credentialsOf(env),
    expireSeconds: expiryOf(address, url),
  };
}

/** What the user named; undefined where it is Amazon's own. */
function endpointOf(address: string, text: string | null, env: Environment): string | undefined {
  const named = text ?? env["AWS_ENDPOINT_URL_S3"] ?? env["AWS_ENDPOINT_URL"] ?? "";
  if (named === "") return undefined;
  const url = URL.canParse(named) ? new URL(named) : undefined;
  const isPlain =
    url?.pathname === "/" &&
    url.search === "" &&
    url.hash === "" &&
    url.username === "" &&
    url.password === "";
  if (url === undefined || !isPlain || !/^https?:$/.test(url.protocol))
    throw wrongAddress(
      address,
      "its endpoint is not https://host or http://host, with a port or without",
      "Write endpoint=https://host:9000.",
    );
  return url.origin;
}

function regionOf(
  address: string,
  url: URL,
  { env, fallback }: { readonly env: Environment; readonly fallback: string },
): string {
  const named = url.searchParams.get("region") ?? env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"] ?? "";
  const region = named === "" || (fallback === "auto" && !url.searchParams.has("region")) ? fallback : named;
  if (/^[a-z0-9-]{2,40}$/.test(region)) return region;
  throw wrongAddress(address, `"${region}" cannot be a region`, "Write region=eu-central-1.");
}

function styleOf(address: string, text: string | null): "path" | "host" | undefined {
  if (text === null) return undefined;
  if (text === "path" || text === "host") return text;
  throw wrongAddress(address, `"${text}" is no style`, "Write style=path or style=host.");
}

const CREDENTIALS =
  "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or TAPEDECK_REMOTE_ACCESS_KEY_ID and TAPEDECK_REMOTE_SECRET_ACCESS_KEY, in the environment.";

/** Those for the remote alone come first: tests often run with made-up ones under the usual names. */
function credentialsOf(env: Environment): S3Credentials {
  for (const family of ["TAPEDECK_REMOTE", "AWS"]) {
    const accessKeyId = env[`${family}_ACCESS_KEY_ID`] ?? "";
    const secretAccessKey = env[`${family}_SECRET_ACCESS_KEY`] ?? "";
    const sessionToken = env[`${family}_SESSION_TOKEN`] ?? "";
    if (accessKeyId !== "" && secretAccessKey !== "")
      return { accessKeyId, secretAccessKey, sessionToken: sessionToken === "" ? undefined : sessionToken };
    if (accessKeyId !== "" || secretAccessKey !== "")
      throw wrongUsage(
        `The remote has half of its credentials: of ${family}_ACCESS_KEY_ID and ${family}_SECRET_ACCESS_KEY one is not set.`,
        CREDENTIALS,
      );
  }
  throw wrongUsage(
    "The remote has no credentials.",
    `${CREDENTIALS} Those of a profile: eval "$(aws configure export-credentials --format env)".`,
  );
}
