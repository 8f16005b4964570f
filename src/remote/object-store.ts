import { localize } from "../core/base/localize.ts";
import type { TeamAddress } from "./address.ts";
import type { StorageEngine } from "./engine.ts";
import { isObjectName, createRemoteFailure, limitTime } from "./failures.ts";

/**
 * The objects of a team cache by name, in a shared folder, Redis, or S3. Each method rejects with a TapedeckError
 * `tapedeck_remote` (see `faultOf`), or with the reason of `signal` once that is aborted.
 */
export interface ObjectStore {
  /** The bytes of an object; undefined if there is none. */
  get(name: string, signal?: AbortSignal): Promise<Uint8Array | undefined>;
  /** Writes an object whole, in place of one of the same name. */
  put(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void>;
  /** The names of all objects that begin with `prefix`, in any order. */
  list(prefix: string, signal?: AbortSignal): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Time limits of one operation. Writing has a longer one, because no call waits for it. */
export interface TimeLimits {
  readonly readMs: number;
  readonly writeMs: number;
}

const LIMITS: TimeLimits = { readMs: 5_000, writeMs: 60_000 };

/** Opens no connection before the first operation. Each engine is loaded when it is needed. */
export async function openObjectStore(
  address: TeamAddress,
  { readMs, writeMs }: TimeLimits = LIMITS,
): Promise<ObjectStore> {
  const engine = await loadEngine(address);
  const run = <T>(
    limitMs: number,
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ) =>
    limitTime({ name: address.name, limitMs, outer }, work).catch((error: unknown) => {
      throw outer?.aborted === true ? outer.reason : engine.failureOf(error);
    });
  const expectName = (name: string): void => {
    if (!isObjectName(name)) throw new Error(`"${name}" is not the name of an object`);
  };

  return {
    async get(name, outer) {
      expectName(name);
      const bytes = await run(readMs, outer, (signal) => engine.get(name, signal));
      if (bytes !== undefined && bytes.byteLength > MOST_BYTES) throw tooLarge(address.name, name);
      return bytes;
    },
    async put(name, bytes, outer) {
      expectName(name);
      if (bytes.byteLength > MOST_BYTES) throw tooLarge(address.name, name);
      await run(writeMs, outer, (signal) => engine.put(name, bytes, signal));
    },
    async list(prefix, outer) {
      const names = await run(writeMs, outer, (signal) => engine.list(prefix, signal));
      return names.filter(isObjectName);
    },
    async close() {
      engine.close();
    },
  };
}

/** Larger objects are neither read nor written, in bytes. */
const MOST_BYTES = 256 * 1_048_576;

function tooLarge(name: string, object: string): Error {
  const hint = localize("It is skipped. Other recordings are not affected.");
  return createRemoteFailure(
    "object",
    name,
    localize("cannot store objects larger than 256 MiB: {0}.", object),
    {
      hint,
    },
  );
}

async function loadEngine(address: TeamAddress): Promise<StorageEngine> {
  if (address.type === "folder") return (await import("./shared-folder.ts")).openSharedFolder(address);
  if (address.type === "redis") return (await import("./redis.ts")).openRedis(address);
  return (await import("./s3.ts")).openS3(address);
}
