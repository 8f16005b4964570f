import { localize, joinSentences } from "../core/base/localize.ts";
import { isAbsolute, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { createWrongUsage } from "../core/base/errors.ts";
import { describeThrown } from "../core/base/thrown-text.ts";
import type { Environment } from "../core/base/environment.ts";

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
  try {
    return readParts(address, env);
  } catch (error) {
    if (!(error instanceof AddressFault)) throw error;
    const shown = address.replace(/^([^:]*:\/\/).*@/s, "$1…@");
    throw createWrongUsage(
      localize('"{0}" is not the address of a team cache: {1}.', shown, error.message),
      error.hint ??
        localize(
          "Use an absolute path, redis://host:6379/0, rediss://host:6379/0 with TLS, or s3://bucket/prefix.",
        ),
    );
  }
}

/** The message ends a sentence, without its full stop. */
class AddressFault extends Error {
  readonly hint: string | undefined;

  constructor(why: string, hint?: string) {
    super(why);
    this.hint = hint;
  }
}

function readParts(address: string, env: Environment): TeamAddress {
  if (isAbsolute(address)) return folderAt(address);
  const scheme = /^([a-z][a-z0-9+]*):\/\//.exec(address)?.[1];
  switch (scheme) {
    case "file":
      return folderAt(pathOf(address));
    case "redis":
    case "rediss":
    case "valkey":
    case "valkeys":
      return readRedisAddress(partsOf(address, ["prefix"]), env);
    case "s3":
      return readS3Address(partsOf(address, ["region", "endpoint", "style"]), env);
    case undefined:
      throw new AddressFault(localize("it is neither an absolute path nor an address"));
    default:
      throw new AddressFault(localize("{0}:// is not supported", scheme));
  }
}

function pathOf(address: string): string {
  try {
    return fileURLToPath(address);
  } catch (error) {
    throw new AddressFault(describeThrown(error));
  }
}

function folderAt(path: string): FolderAddress {
  const dir = normalize(path);
  return { type: "folder", name: dir, dir };
}

const PORT = 6_379;

/** `redis[s]://[user[:password]@]host[:port][/database][?prefix=…]`; the environment has user and password otherwise. */
function readRedisAddress(url: URL, env: Environment): RedisAddress {
  if (url.hostname === "") throw new AddressFault(localize("it has no host"));
  const tls = /^(?:rediss|valkeys):$/.test(url.protocol);
  const [, digits] = /^(?:\/([0-9]{0,5}))?$/.exec(url.pathname) ?? [undefined, "none"];
  if (digits === "none")
    throw new AddressFault(
      localize('"{0}" is not a database number', url.pathname),
      localize("Use redis://host:6379/0."),
    );
  const database = Number(digits ?? "0");
  const port = url.port === "" ? PORT : Number(url.port);
  const hasOwn = url.username !== "" || url.password !== "";
  const user = hasOwn ? decodedPart(url.username) : (env["TAPEDECK_REMOTE_USER"] ?? "");
  const password = hasOwn ? decodedPart(url.password) : (env["TAPEDECK_REMOTE_PASSWORD"] ?? "");
  return {
    type: "redis",
    name: `${tls ? "rediss" : "redis"}://${url.hostname}:${port}/${database}`,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port,
    tls,
    database,
    prefix: prefixOf(url.searchParams.get("prefix") ?? "tapedeck:"),
    user: user === "" ? undefined : user,
    password: password === "" ? undefined : password,
  };
}

/**
 * `s3://bucket[/prefix][?region=…&endpoint=…&style=path|host]`. Region and endpoint of the environment count
 * where they are not in it.
 */
function readS3Address(url: URL, env: Environment): S3Address {
  if (url.username !== "" || url.password !== "")
    throw new AddressFault(localize("it contains a user or password"), credentialsHint());
  const bucket = url.hostname;
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/.test(bucket) || url.port !== "")
    throw new AddressFault(
      localize('"{0}" is not a valid bucket name', url.host),
      localize(
        "A bucket name has 3 to 63 lower-case letters, digits, dots, and hyphens. Set the server with endpoint=https://….",
      ),
    );
  const own = endpointOf(url.searchParams.get("endpoint"), env);
  const region = regionOf(url, env);
  const prefix = prefixOf(url.pathname.replace(/^\/+|\/+$/g, ""));
  const style = url.searchParams.get("style");
  if (style !== null && style !== "path" && style !== "host")
    throw new AddressFault(
      localize('"{0}" is not a style', style),
      localize("Use style=path or style=host."),
    );
  return {
    type: "s3",
    name: `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}`,
    endpoint: own ?? `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`,
    region,
    bucket,
    prefix: prefix === "" ? "" : `${prefix}/`,
    style: style ?? (own === undefined && !bucket.includes(".") ? "host" : "path"),
    credentials: credentialsOf(env),
  };
}

/** Undefined for Amazon's own. */
function endpointOf(text: string | null, env: Environment): string | undefined {
  const named = text ?? env["AWS_ENDPOINT_URL_S3"] ?? env["AWS_ENDPOINT_URL"] ?? "";
  if (named === "") return undefined;
  // A path, a parameter, or a user would be lost.
  const url = URL.canParse(named) ? new URL(named) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new AddressFault(
      localize("its endpoint is not https://host or http://host with an optional port"),
      localize("Use endpoint=https://host:9000."),
    );
  return url.origin;
}

function regionOf(url: URL, env: Environment): string {
  const named = url.searchParams.get("region") ?? env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"] ?? "";
  const region = named === "" ? "us-east-1" : named;
  if (/^[a-z0-9-]{2,40}$/.test(region)) return region;
  throw new AddressFault(
    localize('"{0}" is not a valid region', region),
    localize("Use a region such as region=eu-central-1."),
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

/** Parses an address. @throws AddressFault for a parameter that is not among `known`, or is repeated */
function partsOf(address: string, known: readonly string[]): URL {
  if (!URL.canParse(address)) throw new AddressFault(localize("it cannot be read"));
  const url = new URL(address);
  const forms = localize('The parameters after "?" are {0}.', known.map((name) => `${name}=…`).join(", "));
  for (const name of url.searchParams.keys()) {
    if (!known.includes(name))
      throw new AddressFault(localize('"{0}" is not a parameter of it', name), forms);
    if (url.searchParams.getAll(name).length > 1)
      throw new AddressFault(localize('"{0}" is repeated', name), forms);
  }
  if (url.hash !== "")
    throw new AddressFault(localize('it contains "#"'), localize('Write "#" in a password as %23.'));
  return url;
}

/** Decodes a percent-encoded part of an address. */
function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new AddressFault(
      localize('a "%" in it is not followed by two hexadecimal digits'),
      localize('Write "%" as %25.'),
    );
  }
}

/** The beginning of keys, in characters that every engine keeps as they are. */
function prefixOf(text: string): string {
  const isPlain = /^[A-Za-z0-9._:/-]{0,200}$/.test(text);
  if (isPlain && !text.split("/").some((part) => part === "." || part === "..")) return text;
  throw new AddressFault(
    localize('"{0}" is not a valid prefix', text),
    localize('Use up to 200 letters, digits, ".", "_", ":", "-", and "/".'),
  );
}
