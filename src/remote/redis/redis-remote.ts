import type { Redis } from "ioredis";
import { isTapedeckError } from "../../core/errors.ts";
import type { RedisAddress } from "../address/remote-address.ts";
import { readOnly } from "../failures.ts";
import { notEncrypted } from "../network-failure.ts";
import {
  expectName,
  expectPrefix,
  isObjectName,
  type RemoteAccess,
  type RemoteStore,
  type OpenOptions,
} from "../remote-store.ts";
import { createRedisConnection, type RedisConnection } from "./connection.ts";
import { createReads } from "./reads.ts";

/**
 * Objects as strings of Redis or Valkey: `SET NX` adds, and each read renews the life of what expires.
 * @throws TapedeckError `tapedeck_remote` where it cannot be used
 */
export async function openRedis(address: RedisAddress, options: OpenOptions): Promise<RemoteStore> {
  const { name, prefix, expireSeconds } = address;
  const connection = createRedisConnection(address, options.limits);
  const access = await probe(connection, address, options).catch((error: unknown) => {
    connection.close();
    throw error;
  });

  const read = createReads(connection, address);

  return {
    name,
    access,
    notes: address.tls ? [] : notEncrypted(name, address.host),
    async get(object, signal) {
      expectName(object);
      return read(object, signal);
    },
    async add(object, bytes, signal) {
      expectName(object);
      if (!access.mayWrite) throw readOnly(name, access.why);
      const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const set = (redis: Redis): Promise<"OK" | null> =>
        expireSeconds === undefined
          ? redis.set(prefix + object, value, "NX")
          : redis.set(prefix + object, value, "EX", expireSeconds, "NX");
      return (await connection.run(set, signal, value.byteLength)) === "OK" ? "added" : "taken";
    },
    list(begin, signal) {
      expectPrefix(begin);
      return TAKES.test(begin)
        ? listTakes(connection, { prefix, begin, signal })
        : listAll(connection, { prefix, begin, signal });
    },
    async touch(object, signal) {
      expectName(object);
      if (expireSeconds === undefined || !access.mayWrite) return;
      await connection.run((redis) => redis.expire(prefix + object, expireSeconds), signal);
    },
    close() {
      connection.close();
      return Promise.resolve();
    },
  };
}

async function probe(
  connection: RedisConnection,
  { prefix }: RedisAddress,
  { write, signal }: OpenOptions,
): Promise<RemoteAccess> {
  const key = `${prefix}.probe`;
  await connection.run(async (redis) => {
    await redis.getrange(key, 0, 0);
    await redis.scan(0, "MATCH", `${prefix}.probe`, "COUNT", 1);
  }, signal);
  if (!write) return { mayWrite: false, why: undefined };
  try {
    await connection.run((redis) => redis.set(key, "", "EX", 60, "NX"), signal);
    return { mayWrite: true };
  } catch (error) {
    const [word] =
      isTapedeckError(error) && error.cause instanceof Error ? error.cause.message.split(" ") : [];
    // What is full today may have room tomorrow: adding says so, each time.
    if (word === "OOM" || word === "MISCONF") return { mayWrite: true };
    if (word === "NOPERM") return { mayWrite: false, why: "its user may not set keys of the prefix" };
    if (word === "READONLY") return { mayWrite: false, why: "it is a replica" };
    throw error;
  }
}

interface Listing {
  readonly prefix: string;
  readonly begin: string;
  readonly signal: AbortSignal;
}

/** How the takes of a key begin. */
const TAKES = /\/[0-9a-f]{64}$/;
/** Asked for at once. A gap between two takes that is longer ends the list. */
const TAKES_AT_ONCE = 16;

/** Looking through all keys of a server for those of one call would take as long as there are keys: their names are known. */
async function* listTakes(
  connection: RedisConnection,
  { prefix, begin, signal }: Listing,
): AsyncGenerator<readonly string[]> {
  for (let first = 1; ; first += TAKES_AT_ONCE) {
    const names = Array.from({ length: TAKES_AT_ONCE }, (_, index) => nameOfTake(begin, first + index));
    const there = await connection.run(
      (redis) => Promise.all(names.map((name) => redis.exists(prefix + name))),
      signal,
    );
    const found = names.filter((_, index) => there[index] === 1);
    if (found.length === 0) return;
    yield found;
  }
}

function nameOfTake(begin: string, take: number): string {
  return take === 1 ? `${begin}.json` : `${begin}.${take}.json`;
}

const KEYS_AT_ONCE = 1_000;

async function* listAll(
  connection: RedisConnection,
  { prefix, begin, signal }: Listing,
): AsyncGenerator<readonly string[]> {
  // A key may come twice while the server moves its table.
  const seen = new Set<string>();
  // Nothing in a name or a prefix means anything to a pattern: no "*", "?", "[" or "\".
  const pattern = `${prefix}${begin}*`;
  let cursor = "0";
  do {
    const at = cursor;
    const [next, keys] = await connection.run(
      (redis) => redis.scan(at, "MATCH", pattern, "COUNT", KEYS_AT_ONCE),
      signal,
    );
    cursor = next;
    const names = keys
      .map((key) => key.slice(prefix.length))
      .filter((name) => isObjectName(name) && !seen.has(name));
    for (const name of names) seen.add(name);
    if (names.length > 0) yield names;
  } while (cursor !== "0");
}
