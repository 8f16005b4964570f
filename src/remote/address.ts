import { localize, joinSentences } from "../core/base/localize.ts";
import { isAbsolute, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { createWrongUsage, type TapedeckError } from "../core/base/errors.ts";
import type { Environment } from "../core/base/environment.ts";

/** Where a team cache is. */
export type TeamAddress = FolderAddress | RedisAddress | S3Address;

export interface FolderAddress {
  readonly type: "folder";
  readonly name: string;
  /** An absolute path. */
  readonly dir: string;
}

export interface RedisAddress {
  readonly type: "redis";
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly database: number;
  /** The beginning of every key. */
  readonly prefix: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

export interface S3Address {
  readonly type: "s3";
  readonly name: string;
  /** Scheme, host and port, without a path: "https://s3.eu-central-1.amazonaws.com". */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** The beginning of every key: "" or a path with "/" at its end. */
  readonly prefix: string;
  /** Whether the bucket is in the path or in the host. */
  readonly style: "path" | "host";
  readonly credentials: S3Credentials;
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

/**
 * Reads the address of a team cache: an absolute path or `file://…`, `redis://host:6379/0`, `rediss://…`,
 * or `s3://bucket/prefix`. Credentials come from the environment; for Redis the address may have them.
 * @throws TapedeckError `tapedeck_usage` with what to do; it repeats no credential
 */
export function readAddress(text: string, env: Environment): TeamAddress {
  const address = text.trim();
  if (isAbsolute(address)) return folderAt(address);
  const scheme = /^([a-z][a-z0-9+]*):\/\//.exec(address)?.[1];
  switch (scheme) {
    case "file":
      return folderAt(pathOf(address));
    case "redis":
    case "rediss":
    case "valkey":
    case "valkeys":
      return readRedisAddress(address, env);
    case "s3":
      return readS3Address(address, env);
    case undefined:
      throw wrongAddress(address, localize("it is neither an absolute path nor an address"), addressForms());
    default:
      throw wrongAddress(address, localize("{0}:// is not supported", scheme), addressForms());
  }
}

const addressForms = (): string =>
  localize(
    "Use an absolute path, redis://host:6379/0, rediss://host:6379/0 with TLS, or s3://bucket/prefix.",
  );

function pathOf(address: string): string {
  try {
    return fileURLToPath(address);
  } catch (error) {
    throw wrongAddress(
      address,
      error instanceof Error ? error.message : localize("it is not a path"),
      addressForms(),
    );
  }
}

function folderAt(path: string): FolderAddress {
  const dir = normalize(path);
  return { type: "folder", name: dir, dir };
}

const PORT = 6_379;

/** `redis[s]://[user[:password]@]host[:port][/database][?prefix=…]`; the environment has user and password otherwise. */
function readRedisAddress(address: string, env: Environment): RedisAddress {
  const url = partsOf(address, ["prefix"]);
  if (url.hostname === "")
    throw wrongAddress(address, localize("it has no host"), localize("Use redis://host:6379/0."));
  const tls = /^(?:rediss|valkeys):$/.test(url.protocol);
  const [, database] = /^\/([0-9]{1,5})?$/.exec(url.pathname === "" ? "/" : url.pathname) ?? [
    undefined,
    "none",
  ];
  if (database === "none")
    throw wrongAddress(
      address,
      localize('"{0}" is not a database number', url.pathname),
      localize("Use redis://host:6379/0."),
    );
  const port = url.port === "" ? PORT : Number(url.port);
  const hasOwn = url.username !== "" || url.password !== "";
  const user = hasOwn ? decodedPart(address, url.username) : (env["TAPEDECK_REMOTE_USER"] ?? "");
  const password = hasOwn ? decodedPart(address, url.password) : (env["TAPEDECK_REMOTE_PASSWORD"] ?? "");
  return {
    type: "redis",
    name: `${tls ? "rediss" : "redis"}://${url.hostname}:${port}/${Number(database ?? "0")}`,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port,
    tls,
    database: Number(database ?? "0"),
    prefix: prefixOf(address, url.searchParams.get("prefix") ?? "tapedeck:"),
    user: user === "" ? undefined : user,
    password: password === "" ? undefined : password,
  };
}

/**
 * `s3://bucket[/prefix][?region=…&endpoint=…&style=path|host]`. Region and endpoint of the environment count
 * where they are not in it.
 */
function readS3Address(address: string, env: Environment): S3Address {
  const url = partsOf(address, ["region", "endpoint", "style"]);
  if (url.username !== "" || url.password !== "")
    throw wrongAddress(address, localize("it contains a user or password"), credentialsHint());
  const bucket = url.hostname;
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/.test(bucket) || url.port !== "")
    throw wrongAddress(
      address,
      localize('"{0}" is not a valid bucket name', url.host),
      localize(
        "A bucket name has 3 to 63 lower-case letters, digits, dots, and hyphens. Set the server with endpoint=https://….",
      ),
    );
  const own = endpointOf(address, url.searchParams.get("endpoint"), env);
  const region = regionOf(address, url, env);
  const prefix = prefixOf(address, url.pathname.replace(/^\/+|\/+$/g, ""));
  return {
    type: "s3",
    name: `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}`,
    endpoint: own ?? `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`,
    region,
    bucket,
    prefix: prefix === "" ? "" : `${prefix}/`,
    style:
      styleOf(address, url.searchParams.get("style")) ??
      (own === undefined && !bucket.includes(".") ? "host" : "path"),
    credentials: credentialsOf(env),
  };
}

/** Undefined for Amazon's own. */
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
      localize("its endpoint is not https://host or http://host with an optional port"),
      localize("Use endpoint=https://host:9000."),
    );
  return url.origin;
}

function regionOf(address: string, url: URL, env: Environment): string {
  const named = url.searchParams.get("region") ?? env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"] ?? "";
  const region = named === "" ? "us-east-1" : named;
  if (/^[a-z0-9-]{2,40}$/.test(region)) return region;
  throw wrongAddress(
    address,
    localize('"{0}" is not a valid region', region),
    localize("Use a region such as region=eu-central-1."),
  );
}

function styleOf(address: string, text: string | null): "path" | "host" | undefined {
  if (text === null) return undefined;
  if (text === "path" || text === "host") return text;
  throw wrongAddress(
    address,
    localize('"{0}" is not a style', text),
    localize("Use style=path or style=host."),
  );
}

const credentialsHint = (): string =>
  localize(
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or TAPEDECK_REMOTE_ACCESS_KEY_ID and TAPEDECK_REMOTE_SECRET_ACCESS_KEY, in the environment.",
  );

/** Those of Tapedeck come first, because tests often set placeholders under the usual names. */
function credentialsOf(env: Environment): S3Credentials {
  for (const family of ["TAPEDECK_REMOTE", "AWS"]) {
    const accessKeyId = env[`${family}_ACCESS_KEY_ID`] ?? "";
    const secretAccessKey = env[`${family}_SECRET_ACCESS_KEY`] ?? "";
    const sessionToken = env[`${family}_SESSION_TOKEN`] ?? "";
    if (accessKeyId !== "" && secretAccessKey !== "")
      return { accessKeyId, secretAccessKey, sessionToken: sessionToken === "" ? undefined : sessionToken };
    if (accessKeyId !== "" || secretAccessKey !== "")
      throw createWrongUsage(
        localize(
          "The credentials of the team cache are incomplete: {0}_ACCESS_KEY_ID or {1}_SECRET_ACCESS_KEY is not set.",
          family,
          family,
        ),
        credentialsHint(),
      );
  }
  throw createWrongUsage(
    localize("The team cache has no credentials."),
    joinSentences(
      credentialsHint(),
      localize(
        "For the credentials of a profile, run: {0}",
        'eval "$(aws configure export-credentials --format env)"',
      ),
    ),
  );
}

/** `why` ends a sentence, without its full stop. Nothing before an "@" is repeated. */
function wrongAddress(address: string, why: string, hint: string): TapedeckError {
  const shown = address.replace(/^([^:]*:\/\/).*@/s, "$1…@");
  return createWrongUsage(localize('"{0}" is not the address of a team cache: {1}.', shown, why), hint);
}

/** Parses an address. @throws TapedeckError for a parameter that is not among `known` */
function partsOf(address: string, known: readonly string[]): URL {
  if (!URL.canParse(address))
    throw wrongAddress(address, localize("it cannot be read"), localize("Check its spelling."));
  const url = new URL(address);
  const forms = localize('The parameters after "?" are {0}.', known.map((name) => `${name}=…`).join(", "));
  for (const name of url.searchParams.keys()) {
    if (!known.includes(name))
      throw wrongAddress(address, localize('"{0}" is not a parameter of it', name), forms);
    if (url.searchParams.getAll(name).length > 1)
      throw wrongAddress(address, localize('"{0}" is repeated', name), forms);
  }
  if (url.hash !== "")
    throw wrongAddress(address, localize('it contains "#"'), localize('Write "#" in a password as %23.'));
  return url;
}

/** Decodes a percent-encoded part of an address. */
function decodedPart(address: string, part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw wrongAddress(
      address,
      localize('a "%" in it is not followed by two hexadecimal digits'),
      localize('Write "%" as %25.'),
    );
  }
}

/** The beginning of keys, in characters that every engine keeps as they are. */
function prefixOf(address: string, text: string): string {
  if (
    /^[A-Za-z0-9._:/-]{0,200}$/.test(text) &&
    !text.split("/").some((part) => part === "." || part === "..")
  )
    return text;
  throw wrongAddress(
    address,
    localize('"{0}" is not a valid prefix', text),
    localize('Use up to 200 letters, digits, ".", "_", ":", "-", and "/".'),
  );
}
