import { localize } from "../core/base/localize.ts";
import { findPathInRoots } from "../core/call/attribution.ts";
import type { Call, CallEvent, Key, Miss, Nearest } from "../core/call/call.ts";
import { describeRequest } from "../core/view/describe.ts";
import { readOperationRequest } from "../core/match/read-request.ts";
import type { Engine } from "../core/answer/engine.ts";
import { convertCacheEntryToRecording } from "../systems/metagpt/cache/as-recording.ts";
import { getCachedEntry } from "../core/cassette/cached-ref.ts";
import { findNearestKeys } from "../systems/metagpt/cache/nearest-keys.ts";
import { type CacheFile, readCacheFile } from "../systems/metagpt/cache/read-cache-file.ts";
import { listDifferences } from "../core/match/differences/differences.ts";
import { formatMissLines } from "../core/view/miss.ts";
import { pickDefined } from "../core/base/pick-defined.ts";
import type { Recording } from "../core/cassette/recording.ts";
import type { ProviderTable } from "../core/protocol/registry.ts";
import type { Secrets } from "../core/secrets/guard.ts";
import type { CacheNote } from "../server/cache-notes.ts";
import { computeSha256 } from "../storage/folder/read-file.ts";

export interface CachedCallsParts {
  readonly engine: Pick<Engine, "note">;
  readonly providers: ProviderTable;
  readonly secrets: Pick<Secrets, "redact">;
  /** Absolute folders in which a cache is read. */
  readonly roots: readonly string[];
}

/** Creates the converter from notes of MetaGPT's hook to call events, including misses. */
export function createCachedCalls(parts: CachedCallsParts): (note: CacheNote) => Promise<void> {
  const readCache = createCacheReader();
  return async (note) => {
    const { run, outcome, test } = note;
    const digest = computeSha256(note.key);
    const file = note.file === undefined ? undefined : findPathInRoots(parts.roots, note.file);
    const recording = withoutSecrets(asRecording(note.key, digest), note, parts);
    const { facts } = describeRequest(recording, parts.providers);
    const { provider, operation, key } = recording;
    const call = { provider, operation, model: MODEL, label: facts.label, key, ...pickDefined({ test }) };
    const known = outcome === "miss" && file !== undefined ? await readCache(note.file ?? "") : undefined;
    const missed =
      outcome === "miss"
        ? missOf(recording, {
            file,
            label: facts.label,
            nearest: known && nearestOf(note.key, file ?? "", known),
          })
        : undefined;
    const isStored = outcome === "replayed" || outcome === "recorded";
    const event: Omit<CallEvent, "id" | "at" | "ms" | "run" | "mode"> = {
      ...call,
      outcome,
      cacheFile: file ?? "MetaGPT's cache",
      entry: isStored && file !== undefined ? getCachedEntry({ file, digest }) : null,
      ...(outcome === "forwarded" && {
        reason: localize("MetaGPT did not keep this response, because it keeps only those of passing tests."),
      }),
      ...pickDefined({ miss: missed }),
    };
    parts.engine.note(run, event);
  };
}

const MODEL = "MetaGPT";

function asRecording(key: string, digest: string): Recording {
  return convertCacheEntryToRecording([key, ""], { key: `sha256:${digest}`, recordedAt: "" });
}

/** The prompt is redacted as that of an HTTP call. The digest stays that of MetaGPT's own key. */
function withoutSecrets(recording: Recording, { run }: CacheNote, { secrets }: CachedCallsParts): Recording {
  if (secrets.redact === undefined) return recording;
  const { provider, request } = recording;
  const { method, path, body } = request;
  const call: Call = { provider, method, path, body, headers: [], run, signal: NEVER };
  const redacted = secrets.redact(call);
  return { ...recording, request: { ...request, body: redacted.body } };
}

const NEVER = new AbortController().signal;

function missOf(
  { provider, operation, key, request }: Recording,
  {
    file = "MetaGPT's cache",
    label,
    nearest,
  }: { readonly file: string | undefined; readonly label: string; readonly nearest: Nearest | undefined },
): Miss {
  const miss = { provider, operation, model: MODEL, label, cacheFile: file, ...pickDefined({ nearest }) };
  const lines = formatMissLines(miss, { key });
  return { ...miss, key, request, message: lines.join("\n") };
}

/** Reads a cache, once for each state of its file; undefined if it cannot be read. */
function createCacheReader(): (path: string) => Promise<CacheFile | undefined> {
  let last: { readonly path: string; readonly file: CacheFile } | undefined;
  return async (path) => {
    try {
      const file = await readCacheFile(path, path, last?.path === path ? last.file : undefined);
      last = { path, file };
      return file;
    } catch {
      return undefined;
    }
  };
}

function nearestOf(key: string, file: string, { entries, changedAt }: CacheFile): Nearest | undefined {
  const [nearest] = findNearestKeys(
    key,
    Array.from(entries.values(), (entry) => entry.key),
  );
  if (nearest === undefined) return undefined;
  const digest = computeSha256(nearest.key);
  const nearestKey: Key = `sha256:${digest}`;
  const [recorded, asked] = [asRecording(nearest.key, digest), asRecording(key, "")];
  return {
    entry: getCachedEntry({ file, digest }),
    key: nearestKey,
    recordedAt: new Date(changedAt).toISOString(),
    differences: listDifferences(readOperationRequest(recorded), readOperationRequest(asked)),
  };
}
