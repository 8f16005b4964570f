import { isIP } from "node:net";
import process from "node:process";
import { Redis } from "ioredis";
import { checkedInSpiteOf } from "../../server/upstream/certificates.ts";
import type { RedisAddress } from "../address/remote-address.ts";
import { faultOf } from "../failures.ts";
import { mayBeTls } from "../network-failure.ts";
import { createPatience, type PatienceLimits, type Waiting } from "../patience.ts";
import { isClosing, redisFailure } from "./redis-failures.ts";

/** The one connection to a server, made when it is first needed and again after it broke. */
export interface RedisConnection {
  /** Commands of `work` go out at once, one after another. @throws TapedeckError `tapedeck_remote` */
  run<T>(
    work: (redis: Redis, waiting: Waiting) => Promise<T>,
    signal: AbortSignal,
    sizeBytes?: number,
  ): Promise<T>;
  close(): void;
}

const SCHEMES = ["redis://", "rediss://"] as const;

export function createRedisConnection(address: RedisAddress, limits?: PatienceLimits): RedisConnection {
  const { name } = address;
  const patience = createPatience(name, limits);
  const links = createLinks(address);
  let wasUp = false;
  let isClosed = false;

  return {
    async run(work, signal, sizeBytes) {
      if (isClosed) throw new Error(`the connection to ${name} was closed`);
      try {
        const result = await patience.wait((waiting) => attempt(links, work, waiting), { signal, sizeBytes });
        wasUp = true;
        return result;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const isSlow = faultOf(error) === "slow";
        // What comes late would answer the next question.
        if (isSlow) links.leave();
        if (!wasUp && address.tls === isSlow && (isSlow || isClosing(error)))
          throw mayBeTls(name, { tls: address.tls, schemes: SCHEMES }, error);
        throw redisFailure(name, error);
      }
    },
    close() {
      isClosed = true;
      links.leave();
    },
  };
}

type Work<T> = (redis: Redis, waiting: Waiting) => Promise<T>;

/** A connection that is being made or was made, in its database and as its user. */
interface Link {
  readonly redis: Redis;
  readonly ready: Promise<void>;
}

interface Links {
  readonly current: Redis | undefined;
  /** The one that stands, or a new one. */
  ready(): Promise<Redis>;
  /** Breaks the one that stands, or `old` where that does. */
  leave(old?: Redis): void;
}

function createLinks(address: RedisAddress): Links {
  let link: Link | undefined;
  const leave = (old = link?.redis): void => {
    if (old === undefined || link?.redis !== old) return;
    link = undefined;
    // It would wait two seconds for the other end to close too, or for nothing where that did, and a process with it.
    if (old.status !== "end") old.disconnect();
    streamOf(old)?.destroy();
  };
  return {
    get current() {
      return link?.redis;
    },
    async ready() {
      const { redis, ready } = (link ??= connect(address));
      try {
        await ready;
      } catch (error) {
        leave(redis);
        throw error;
      }
      return redis;
    },
    leave,
  };
}

/** Undefined before a connection was begun, whatever its type says. */
const streamOf = (redis: Redis): Redis["stream"] | undefined => redis.stream;

async function attempt<T>(links: Links, work: Work<T>, waiting: Waiting): Promise<T> {
  const before = links.current;
  const redis = await links.ready();
  sendTogether(redis);
  try {
    return await work(redis, waiting);
  } catch (error) {
    // The server closed a kept connection before or at the moment when it was used again.
    const isStale = before === redis && (redis.status !== "ready" || isClosing(error));
    if (!isStale || waiting.signal.aborted) throw error;
    links.leave(redis);
    return work(await links.ready(), waiting);
  }
}

/** What is asked at one moment goes out as one piece: each piece costs more than what it asks for. */
function sendTogether(redis: Redis): void {
  const stream = streamOf(redis);
  stream?.cork();
  process.nextTick(() => stream?.uncork());
}

/** Nothing on it is tried again by itself. */
function connect(address: RedisAddress): Link {
  const { host, port, tls } = address;
  const redis = new Redis({
    host,
    port,
    ...(tls && { tls: { ...(isIP(host) === 0 && { servername: host }), ...checkedInSpiteOf(process.env) } }),
    lazyConnect: true,
    connectTimeout: 0,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // Both take rights that a user of a few keys need not have.
    enableReadyCheck: false,
    disableClientInfo: true,
    protocol: 2,
  });
  return { redis, ready: makeReady(redis, address) };
}

async function makeReady(redis: Redis, { user, password, database }: RedisAddress): Promise<void> {
  let seen: unknown;
  redis.on("error", (error) => (seen ??= error));
  try {
    await redis.connect();
    if (password !== undefined)
      await (user === undefined ? redis.auth(password) : redis.auth(user, password));
    if (database !== 0) await redis.select(database);
  } catch (error) {
    // It says no more than that the connection is closed; why was told before.
    throw seen ?? error;
  }
}
