import { localize } from "../core/base/localize.ts";
import { isIP } from "node:net";
import { Redis } from "ioredis";
import { isTapedeckError } from "../core/base/errors.ts";
import { describeThrown } from "../core/base/thrown-text.ts";
import { checkInSpiteOf } from "../server/upstream/proxy.ts";
import type { RedisAddress } from "./address.ts";
import {
  createAccessDeniedError,
  convertNetworkFailure,
  createNotReachedError,
  createRemoteFailure,
} from "./failures.ts";
import type { StorageEngine } from "./engine.ts";

/** Objects as strings of Redis or Valkey. */
export function openRedis(address: RedisAddress): StorageEngine {
  const { name, prefix } = address;
  const connection = createConnection(address);
  const scan = async (begin: string, signal: AbortSignal): Promise<readonly string[]> => {
    const names = new Set<string>(); // a key may be listed twice while the server moves its table
    let cursor = "0";
    do {
      // No name or prefix has a character that means something to a pattern.
      const page = await connection.run(signal, (redis) =>
        redis.scan(cursor, "MATCH", `${prefix}${begin}*`, "COUNT", 1_000),
      );
      for (const key of page[1]) names.add(key.slice(prefix.length));
      [cursor] = page;
    } while (cursor !== "0");
    return [...names];
  };
  return {
    get: (object, signal) =>
      connection.run(signal, async (redis) => (await redis.getBuffer(prefix + object)) ?? undefined),
    async put(object, bytes, signal) {
      const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      await connection.run(signal, (redis) => redis.set(prefix + object, value));
    },
    list: scan,
    close: () => connection.leave(),
    failureOf: (error) => redisFailure(name, error),
  };
}

/** Undefined before the client connects, although its type does not include undefined. */
const streamOf = (redis: Redis | undefined): Redis["stream"] | undefined => redis?.stream;

function createConnection(address: RedisAddress) {
  let link: { readonly redis: Redis; readonly ready: Promise<void> } | undefined;
  const leave = (): void => {
    const { redis } = link ?? {};
    link = undefined;
    // An orderly end would wait for the server, and the process with it.
    redis?.disconnect();
    streamOf(redis)?.destroy();
  };
  return {
    /** Connects if there is no connection, or none any more. */
    async run<T>(signal: AbortSignal, work: (redis: Redis) => Promise<T>): Promise<T> {
      if (link?.redis.status === "end" || link?.redis.status === "close") leave();
      link ??= connect(address);
      const { redis, ready } = link;
      // An answer that arrives late would not be waited for any more, but the next one would be behind it.
      const giveUp = (): void => (link?.redis === redis ? leave() : undefined);
      signal.addEventListener("abort", giveUp, { once: true });
      try {
        await ready;
        return await work(redis);
      } catch (error) {
        if (redis.status !== "ready") giveUp();
        throw error;
      } finally {
        signal.removeEventListener("abort", giveUp);
      }
    },
    leave,
  };
}

/** Nothing on it is retried: a team cache that fails is left alone for a while. */
function connect(address: RedisAddress) {
  const { host, port, tls } = address;
  const redis = new Redis({
    host,
    port,
    ...(tls && { tls: { ...(isIP(host) === 0 && { servername: host }), ...checkInSpiteOf(process.env) } }),
    lazyConnect: true,
    connectTimeout: 0,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // RESP3 begins with HELLO, which a server with a password refuses before AUTH.
    protocol: 2,
    // Both need rights that a user of a few keys may not have.
    enableReadyCheck: false,
    disableClientInfo: true,
  });
  const ready = makeReady(redis, address);
  ready.catch(() => {});
  return { redis, ready };
}

async function makeReady(redis: Redis, { user, password, database }: RedisAddress): Promise<void> {
  let reason: unknown;
  redis.on("error", (error) => (reason ??= error));
  try {
    await redis.connect();
    if (password !== undefined)
      await (user === undefined ? redis.auth(password) : redis.auth(user, password));
    if (database !== 0) await redis.select(database);
  } catch (error) {
    // The client reports only that the connection is closed; the event before it had the reason.
    throw reason ?? error;
  }
}

const addressHint = (): string => localize("Correct the host, port, or database in its address.");

/** Source of the words that begin an answer: redis.io/docs, protocol errors and ACL, 2026-11. */
function redisFailure(name: string, error: unknown): unknown {
  if (isTapedeckError(error)) return error;
  const text = describeThrown(error);
  const word = /^-?([A-Z]+)(?: |$)/.exec(text)?.[1] ?? "";
  if (["NOAUTH", "WRONGPASS", "NOPERM", "READONLY"].includes(word))
    return createAccessDeniedError(name, text, error);
  if (word === "WRONGTYPE")
    return createRemoteFailure(
      "object",
      name,
      localize("has a value that is not a string in place of an object."),
      {
        hint: localize("Remove the value, or use another prefix."),
        cause: error,
      },
    );
  if (word === "MOVED" || /DB index|invalid DB|protocol error|unknown RESP type/i.test(text))
    return createRemoteFailure("wrong", name, localize("cannot be used: {0}.", text.replace(/[\s.]+$/, "")), {
      hint: addressHint(),
      cause: error,
    });
  if (word !== "") return createNotReachedError(name, text, error);
  if (/^(?:Stream isn't writeable|Connection is closed)/.test(text))
    return createNotReachedError(name, localize("the connection was closed"), error);
  return convertNetworkFailure(name, error);
}
