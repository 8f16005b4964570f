import { nextTick } from "node:process";
import type { Redis } from "ioredis";
import type { RedisAddress } from "../address/remote-address.ts";
import { faultOf, tooLarge } from "../failures.ts";
import type { Waiting } from "../patience.ts";
import { MOST_BYTES } from "../remote-store.ts";
import type { RedisConnection } from "./connection.ts";
import { redisFailure } from "./redis-failures.ts";

/** Reads one object: as `RemoteStore.get`. */
export type ReadObject = (object: string, signal: AbortSignal) => Promise<Uint8Array | undefined>;

interface Asked {
  readonly key: string;
  readonly resolve: (bytes: Uint8Array | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** What is asked for at one moment goes out in pieces of so many. Those that wait for more are looked at meanwhile. */
const TOGETHER = 128;

/** What is asked for at one moment shares one wait: alone, each would cost as much again. */
export function createReads(
  connection: RedisConnection,
  { name, prefix }: Pick<RedisAddress, "name" | "prefix">,
): ReadObject {
  const waiting = new Map<AbortSignal, Asked[]>();
  const send = async (asked: readonly Asked[], signal: AbortSignal): Promise<void> => {
    const keys = asked.map(({ key }) => key);
    try {
      const found = await connection.run((redis, wait) => readAll(redis, { name, keys, wait }), signal);
      for (const [at, { resolve, reject }] of asked.entries()) {
        const one = found[at];
        if (one instanceof Error) reject(one);
        else resolve(one);
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  };
  return (object, signal) =>
    new Promise((resolve, reject) => {
      const asked = { key: prefix + object, resolve, reject };
      const others = waiting.get(signal);
      const all = others ?? [];
      all.push(asked);
      if (others !== undefined) return;
      waiting.set(signal, all);
      nextTick(() => {
        waiting.delete(signal);
        for (let at = 0; at < all.length; at += TOGETHER) void send(all.slice(at, at + TOGETHER), signal);
      });
    });
}

/** Read at once, in bytes; longer ones piece by piece, so that each piece is a sign of life. */
const PIECE = 1_048_576;

/** What each key holds; undefined where it holds nothing, an error where only this one cannot be read. */
async function readAll(
  redis: Redis,
  { name, keys, wait }: { readonly name: string; readonly keys: readonly string[]; readonly wait: Waiting },
): Promise<readonly (Uint8Array | Error | undefined)[]> {
  const starts = keys.map((key) => alone(name, key, startOf(redis, key, wait)));
  // Asked in one go: nobody waits twice for what is not there.
  const [found, there] = await Promise.all([Promise.all(starts), redis.exists(...keys)]);
  const empty = found.filter((start) => !(start instanceof Error) && start.byteLength === 0).length;
  const isEmptyThere = there > keys.length - empty;
  return Promise.all(
    found.map(async (start, at) => {
      if (start instanceof Error || (start.byteLength > 0 && start.byteLength < PIECE)) return start;
      if (start.byteLength === 0 && !isEmptyThere) return undefined;
      const key = keys[at] ?? "";
      return alone(name, key, readRest(redis, { name, key, start, wait }));
    }),
  );
}

async function startOf(redis: Redis, key: string, wait: Waiting): Promise<Buffer> {
  const start = await redis.getrangeBuffer(key, 0, PIECE - 1);
  wait.alive();
  return start;
}

interface Begun {
  readonly name: string;
  readonly key: string;
  readonly start: Buffer;
  readonly wait: Waiting;
}

async function readRest(redis: Redis, { name, key, start, wait }: Begun): Promise<Buffer | undefined> {
  if (start.byteLength === 0) return (await redis.exists(key)) === 1 ? start : undefined;
  const size = await redis.strlen(key);
  if (size > MOST_BYTES) throw tooLarge(name, key);
  const pieces = [start];
  for (let at = start.byteLength; at < size; at += PIECE) {
    wait.alive();
    pieces.push(await redis.getrangeBuffer(key, at, Math.min(at + PIECE, size) - 1));
  }
  const bytes = Buffer.concat(pieces);
  // It went in between: whoever reads it the next time finds none.
  return bytes.byteLength === size ? bytes : undefined;
}

/** What is wrong with one object is no failure of those that were asked for with it. */
async function alone<T>(name: string, key: string, reading: Promise<T>): Promise<T | Error> {
  try {
    return await reading;
  } catch (error) {
    const failure = redisFailure(name, error, key);
    if (failure instanceof Error && faultOf(failure) === "object") return failure;
    throw error;
  }
}
