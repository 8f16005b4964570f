import { localize } from "../core/base/localize.ts";
import type { Clock } from "../core/base/clock.ts";
import { explain } from "../core/base/errors.ts";
import { readOfferedFault } from "../remote/failures.ts";
import { type ObjectStore, openObjectStore } from "../remote/object-store.ts";
import type { KeyOf } from "../storage/folder/recording-reader.ts";
import { putTakes } from "../storage/team/recording-files.ts";
import { makeTeamLayer } from "../storage/team/team-layer.ts";
import { type OwnRecordings, readOwnTakes } from "./own-takes.ts";
import type { RemoteSettings } from "./settings.ts";
import { type CallName, formatCallName } from "../core/cassette/address.ts";
import { type Upload, fetchTakes, uploadTakes } from "./team-object.ts";

export type TeamCache = ReturnType<typeof createTeamCache>;

export interface TeamCounts {
  /** Recordings that were downloaded. */
  readonly downloaded: number;
  /** Calls whose recordings were uploaded. */
  readonly uploaded: number;
  /** Calls whose recordings could not be uploaded. */
  readonly unsent: number;
  /** Why objects were not used, as sentences. */
  readonly refused: readonly string[];
}

export interface TeamCacheParts {
  readonly own: OwnRecordings;
  readonly settings: RemoteSettings;
  readonly keyOf: KeyOf;
  readonly clock: Pick<Clock, "ticks">;
  readonly warn: (message: string) => void;
  /** Replaces the engine that the address names, for tests. */
  readonly open?: () => Promise<ObjectStore>;
}

/**
 * The team cache of one deck. It connects with the first call that needs it. None of its methods rejects: failures are
 * reported.
 */
export function createTeamCache(parts: TeamCacheParts) {
  const { settings, clock, own, keyOf, open = () => openObjectStore(settings.address) } = parts;
  const warn = createWarningOnce(parts.warn);
  const connection = createConnection({ open, warn, ticks: () => clock.ticks() });
  const uploads = createUploads({ own, settings, connection, warn });
  const fetching = new Map<string, Promise<void>>();
  const refused = new Set<string>();
  let downloaded = 0;
  if (settings.lacksPrivateKey)
    warn(
      localize(
        "The team cache is read-only, because TAPEDECK_REMOTE_KEY has no private key to upload recordings.",
      ),
    );

  const fetch = async (call: CallName): Promise<void> => {
    const { keys } = settings;
    const found = await connection.ask((store) => fetchTakes(call, { store, keys }, keyOf));
    if (found === undefined) return;
    if ("refused" in found) {
      refused.add(found.refused);
      return warn(found.refused);
    }
    try {
      downloaded += await putTakes(await makeTeamLayer(own.dir), found.takes);
    } catch (error) {
      warn(localize("Recordings of the team could not be written. {0}", explain(error)));
    }
  };

  return {
    settings,
    /** Downloads all takes of a call, if the cache has them. */
    fetch(call: CallName): Promise<void> {
      const name = formatCallName(call);
      const running = fetching.get(name) ?? fetch(call).finally(() => fetching.delete(name));
      fetching.set(name, running);
      return running;
    },
    uploadLater: (call: CallName): void => uploads.add(call),
    counts: (): TeamCounts => ({ downloaded, ...uploads.counts(), refused: [...refused] }),
    /** Why the cache is not used at the moment. */
    get trouble() {
      return connection.trouble;
    },
    /** Resolves once uploads have ended. */
    async close(): Promise<void> {
      await uploads.ended();
      await connection.close();
    },
  };
}

interface UploadParts extends Pick<TeamCacheParts, "own" | "settings" | "warn"> {
  readonly connection: ReturnType<typeof createConnection>;
}

/** Uploads calls in the background, one after the other for the same call. */
function createUploads({ own, settings: { keys }, connection, warn }: UploadParts) {
  const uploads = new Map<string, Promise<void>>();
  const waiting = new Map<string, CallName>();
  const [uploaded, unsent] = [new Set<string>(), new Set<string>()];
  let isReadOnly = false;

  const upload = async (call: CallName): Promise<Upload | undefined> => {
    const found = await readOwnTakes(call, own);
    if ("why" in found) {
      warn(localize("{0} was not uploaded. {1}", found.entry, found.why));
      return undefined;
    }
    return connection.ask(async (store) => {
      try {
        return await uploadTakes(call, found.takes, { store, keys });
      } catch (error) {
        if (readOfferedFault(error) !== "wrong") throw error;
        isReadOnly = true; // reads may be allowed
        warn(localize("{0} New recordings stay here.", explain(error)));
        return undefined;
      }
    });
  };
  const uploadAfter = async (before: Promise<void> | undefined, call: CallName): Promise<void> => {
    const name = formatCallName(call);
    await before;
    if (waiting.get(name) !== call) return; // the upload that follows has all takes
    const outcome = isReadOnly ? undefined : await upload(call);
    unsent.delete(name);
    if (outcome === "added") uploaded.add(name);
    if (outcome === undefined) unsent.add(name);
  };

  return {
    /** Uploads all takes of a call. */
    add({ provider, key }: CallName): void {
      const call = { provider, key };
      const name = formatCallName(call);
      waiting.set(name, call);
      uploads.set(name, uploadAfter(uploads.get(name), call));
    },
    counts: () => ({ uploaded: uploaded.size, unsent: unsent.size }),
    ended: () => Promise.allSettled(uploads.values()),
  };
}

interface ConnectionParts {
  readonly open: () => Promise<ObjectStore>;
  readonly warn: (message: string) => void;
  /** Milliseconds that never go back. */
  readonly ticks: () => number;
}

/** Time for which a cache that failed is left alone. */
const RETRY_MS = 30_000;

/** A team cache that may fail at any moment without failing a run. */
export function createConnection({ open, warn, ticks }: ConnectionParts) {
  let opened: Promise<ObjectStore> | undefined;
  let failed: { readonly why: string; readonly retryAt: number } | undefined;
  return {
    /** Why it is not used at the moment. */
    get trouble(): string | undefined {
      return failed?.why;
    },
    /**
     * Does something with the cache. Undefined if it fails, or failed a short while ago. Never rejects; each failure is
     * reported once.
     */
    async ask<T>(work: (store: ObjectStore) => Promise<T>): Promise<T | undefined> {
      if (failed !== undefined && ticks() < failed.retryAt) return undefined;
      try {
        const result = await work(await (opened ??= open()));
        failed = undefined;
        return result;
      } catch (error) {
        const fault = readOfferedFault(error);
        const why = explain(error);
        // Only a person can correct an address or a right.
        const retryAt = fault === "wrong" ? Number.POSITIVE_INFINITY : ticks() + RETRY_MS;
        if (fault !== "object") failed = { why, retryAt };
        warn(why);
        return undefined;
      }
    },
    async close(): Promise<void> {
      await opened?.then((store) => store.close()).catch(() => {});
    },
  };
}

/** Reports of single objects are limited to what a person would read. */
const MOST_WARNINGS = 8;

/** Reports each message once, and no more than a few. */
export function createWarningOnce(warn: (message: string) => void): (message: string) => void {
  const reported = new Set<string>();
  return (message) => {
    if (reported.has(message) || reported.size >= MOST_WARNINGS) return;
    reported.add(message);
    warn(message);
  };
}
