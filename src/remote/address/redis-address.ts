import { decodedPart, expiryOf, partsOf, prefixOf, wrongAddress } from "./address-faults.ts";
import type { Environment, RedisAddress } from "./remote-address.ts";

const PARAMETERS = ["prefix", "expire"];
const PORT = 6_379;

/** `redis[s]://[user[:password]@]host[:port][/database][?prefix=…&expire=…]`; a user or password of the environment counts where none is in it. */
export function readRedisAddress(address: string, env: Environment): RedisAddress {
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
