import { isAbsolute, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { wrongAddress, decodedPart, expiryOf, partsOf, prefixOf } from "./address-faults.ts";
import type { Environment, FolderAddress, RemoteAddress, RedisAddress } from "./remote-address.ts";
import { readS3Address } from "./s3-address.ts";

/**
 * Reads where a remote is: an absolute path or `file://…`, `redis://host:6379/0`, `rediss://…`, `s3://bucket/prefix` or
 * `gs://bucket/prefix`. Credentials come from the environment; for Redis they may stand in the address.
 * @throws TapedeckError `tapedeck_usage` with what to do; it repeats no credential
 */
export function readRemoteAddress(text: string, env: Environment): RemoteAddress {
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
    case "gs":
      return readS3Address(address, env);
    case undefined:
      throw wrongAddress(address, "it is neither an absolute path nor an address", FORMS);
    default:
      throw wrongAddress(address, `${scheme}:// is no engine that Tapedeck knows`, FORMS);
  }
}

const FORMS =
  "Write an absolute path, redis://host:6379/0, rediss://host:6379/0 with TLS, s3://bucket/prefix or gs://bucket/prefix.";

function pathOf(address: string): string {
  try {
    return fileURLToPath(address);
  } catch (error) {
    throw wrongAddress(address, error instanceof Error ? error.message : "it is no path", FORMS);
  }
}

function folderAt(path: string): FolderAddress {
  const dir = normalize(path);
  return { type: "folder", name: dir, dir };
}

const PARAMETERS = ["prefix", "expire"];
const PORT = 6_379;

/** `redis[s]://[user[:password]@]host[:port][/database][?prefix=…&expire=…]`; a user or password of the environment counts where none is in it. */
function readRedisAddress(address: string, env: Environment): RedisAddress {
  const url = partsOf(address, PARAMETERS);
  if (url.hostname === "") throw wrongAddress(address, "it has no host", "Write redis://host:6379/0.");
  const tls = /^(?:rediss|valkeys):$/.test(url.protocol);
  const [, database] = /^\/([0-9]{1,5})?$/.exec(url.pathname === "" ? "/" : url.pathname) ?? [
    undefined,
    "none",
  ];
  if (database === "none")
    throw wrongAddress(address, `"${url.pathname}" is no number of a database`, "Write redis://host:6379/0.");
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
    expireSeconds: expiryOf(address, url),
  };
}
