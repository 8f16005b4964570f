import { mapGroups } from "../../base/group-by.ts";
import type { Nearest, TestRef } from "../../call/call.ts";
import { getTestId } from "../../call/test-names.ts";
import type { Recording, RecordingAddress } from "../../cassette/recording.ts";
import type { CassetteStore } from "../../cassette/store.ts";
import { isCoincidence } from "../origins/coincide.ts";
import { readOperationRequest, readProtocolRequest, readRuledRequest } from "../read-request.ts";
import type { Exchange, OperationRequest } from "../read-request.ts";
import { listDifferences } from "../differences/differences.ts";
import { normalizeRequest, type Normalizer } from "../key/key.ts";
import { type KeyedRequest } from "../../cassette/recorded-request.ts";
import { isNear, readFeatures, type RequestWithFeatures, type Features } from "./features.ts";

export interface NearestParts {
  readonly store: CassetteStore;
  readonly normalizer: () => Normalizer | undefined;
  /** Reads a recorded request without its reply, if that is possible. Default: reads the whole recording. */
  readonly readRequest?: (address: RecordingAddress) => WrittenRequest | undefined;
  /** Selects the newest recordings of a folder that has more than `MOST_COMPARED`. Default: the last ones listed. */
  readonly newest?: (all: readonly RecordingAddress[], count: number) => readonly RecordingAddress[];
}

/** The request of a recording as its file has it. */
export interface WrittenRequest extends RequestWithFeatures {
  /** Reads it with the order of members and the digits of numbers. Undefined if it is not valid. */
  readonly readTree: () => OperationRequest | undefined;
}

/** The result of a search for the nearest recording. */
export interface NearestSearch {
  readonly nearest?: Nearest;
  /** Recordings that were not compared, because only the newest `MOST_COMPARED` are. */
  readonly uncompared?: number;
}

/** The parts of a missed call that are compared. */
type MissedExchange = Pick<Exchange, "call" | "protocol" | "headers" | "values">;

/** In a larger folder, only the newest recordings are compared. */
const MOST_COMPARED = 20_000;
/** Maximum number of recordings tried if the most similar ones cannot be read or are unrelated. */
const ATTEMPTS = 8;

/** Finds the nearest recordings of missed calls. Nothing is read before the first miss. */
export function createNearestFinder(parts: NearestParts): (missed: MissedExchange) => Promise<NearestSearch> {
  const { store, normalizer } = parts;
  const catchUp = createRequestTable(parts);
  let catchingUp: Promise<RequestTable> | undefined;
  const searches = new WeakMap<MissedExchange, Promise<NearestSearch>>();
  const search = async (missed: MissedExchange): Promise<NearestSearch> => {
    const before = catchingUp;
    // Misses at the same time wait for each other, so that each recording is read once.
    catchingUp = (async () => {
      await before?.catch(() => undefined);
      return await catchUp();
    })();
    const { features, uncompared } = await catchingUp;
    const left = uncompared === undefined ? {} : { uncompared };
    const normalize = normalizer();
    const sent = requestOf(missed);
    const request = normalizeRequest(sent, normalize);
    const { test } = missed.call;
    let found: { readonly nearest: Nearest; readonly score: number } | undefined;
    for (const { entry, score } of findSimilar(request, features, ATTEMPTS)) {
      if (found !== undefined && score < found.score) break;
      const recording = await store.read(entry).catch(() => undefined);
      const nearest = recording && nearestFrom(recording, entry, { test, sent, request, normalize });
      if (nearest === undefined) continue;
      // Of recordings that are equally similar, the test's own one is what the test asked before.
      if (found === undefined || isOfTest(recording, test)) found = { nearest, score };
      if (isOfTest(recording, test)) break;
    }
    return found === undefined ? left : { nearest: found.nearest, ...left };
  };
  return (missed) => {
    const begun = searches.get(missed) ?? search(missed);
    searches.set(missed, begun);
    return begun;
  };
}

interface RequestTable {
  readonly features: FeatureTable;
  readonly uncompared: number | undefined;
}

/**
 * Keeps the features of a store's recordings; each call brings them up to date with the store's list. A recording is
 * read once, because its name is the key of its request.
 */
function createRequestTable(parts: NearestParts): () => Promise<RequestTable> {
  const { store, newest } = parts;
  const known = new Map<string, Features | undefined>();
  let listed: readonly RecordingAddress[] | undefined;
  let table: RequestTable = { features: createFeatureTable([]), uncompared: undefined };
  return async () => {
    const all = await store.list();
    if (all === listed) return table;
    const compared =
      all.length <= MOST_COMPARED ? all : (newest?.(all, MOST_COMPARED) ?? all.slice(-MOST_COMPARED));
    const requests: ListedRequest[] = [];
    for (const address of compared) {
      const { entry } = address;
      if (!known.has(entry))
        known.set(
          entry,
          readFeaturesAsWritten(address, parts) ?? (await readRecordedFeatures(address, parts)),
        );
      const features = known.get(entry);
      if (features !== undefined) requests.push({ entry, features });
    }
    const uncompared = all.length === compared.length ? undefined : all.length - compared.length;
    table = { features: createFeatureTable(requests), uncompared };
    listed = all;
    return table;
  };
}

/** Undefined if the recording cannot be read, which is reported where recordings are checked. */
async function readRecordedFeatures(
  address: RecordingAddress,
  { store, normalizer, readRequest }: NearestParts,
): Promise<Features | undefined> {
  try {
    const request =
      readRequest?.(address)?.readTree() ?? readOperationRequest(await store.read(address.entry));
    return readFeatures(normalizeRequest(request, normalizer()));
  } catch {
    return undefined;
  }
}

/** Reads features without the tree of a request. Undefined if it is normalized before it is compared, or cannot be read. */
function readFeaturesAsWritten(
  address: RecordingAddress,
  { normalizer, readRequest }: NearestParts,
): Features | undefined {
  if (normalizer() !== undefined) return undefined;
  try {
    const written = readRequest?.(address);
    return written === undefined || written.operation === "http" ? undefined : readFeatures(written);
  } catch {
    return undefined;
  }
}

function requestOf({ call, protocol: { operation }, headers, values }: MissedExchange): KeyedRequest {
  const request = readProtocolRequest({ call, protocol: { operation } });
  return { ...request, operation, ...(headers && { headers }), ...(values && { values }) };
}

interface MissedRequest {
  readonly test: TestRef | undefined;
  readonly sent: KeyedRequest;
  readonly request: KeyedRequest;
  readonly normalize: Normalizer | undefined;
}

const isOfTest = (recording: Recording | undefined, test: TestRef | undefined): boolean =>
  test !== undefined && getTestId(test) === getTestId(recording?.test);

/** Undefined if the recording is unrelated. */
function nearestFrom(
  recording: Recording,
  entry: string,
  { test, sent, request, normalize }: MissedRequest,
): Nearest | undefined {
  const { recordedAt, key } = recording;
  const recorded = readRuledRequest(recording, normalize);
  const differences = listDifferences(recorded, request);
  // In its own test, one difference is the prompt that was changed, even if no word of it is the same.
  const isChanged = differences.length === 1 && isOfTest(recording, test);
  if (!isChanged && !isNear(recorded, request)) return undefined;
  return {
    entry,
    key,
    recordedAt,
    differences,
    ...(recording.request.values !== undefined &&
      isCoincidence(readOperationRequest(recording), sent, normalize) && { coincides: true }),
  };
}

/** A recorded request to compare with a missed one. */
export interface ListedRequest {
  readonly entry: string;
  readonly features: Features;
}

/** Recorded requests to compare with missed ones, by the kind of their features. */
export type FeatureTable = ReadonlyMap<number, ComparedRequests>;

/** Requests, and their features in buckets by the last bits, so that a miss looks only at those it shares. */
interface ComparedRequests {
  readonly requests: readonly ListedRequest[];
  /** Where each bucket begins in `hashes` and `indexes`, and the end of the last one. */
  readonly begins: Int32Array;
  readonly hashes: Int32Array;
  /** The index of the request that has the feature. */
  readonly indexes: Int32Array;
}

/** Features per bucket. With fewer, the buckets do not fit into the cache of a processor. */
const PER_BUCKET = 16;

export function createFeatureTable(listed: readonly ListedRequest[]): FeatureTable {
  const groups = mapGroups(listed, ({ features }) => features.kind);
  return new Map([...groups].map(([kind, requests]) => [kind, sortFeatures(requests)]));
}

function sortFeatures(requests: readonly ListedRequest[]): ComparedRequests {
  const count = requests.reduce((sum, { features }) => sum + features.hashes.length, 0);
  const buckets = 2 ** Math.ceil(Math.log2(count / PER_BUCKET + 1));
  const begins = new Int32Array(buckets + 1);
  for (const { features } of requests)
    for (const hash of features.hashes) {
      const next = (hash & (buckets - 1)) + 1;
      begins[next] = (begins[next] ?? 0) + 1;
    }
  for (let at = 1; at <= buckets; at += 1) begins[at] = (begins[at] ?? 0) + (begins[at - 1] ?? 0);
  const [hashes, indexes, places] = [new Int32Array(count), new Int32Array(count), begins.slice()];
  for (const [index, { features }] of requests.entries())
    for (const hash of features.hashes) {
      const bucket = hash & (buckets - 1);
      const place = places[bucket] ?? 0;
      places[bucket] = place + 1;
      hashes[place] = hash;
      indexes[place] = index;
    }
  return { requests, begins, hashes, indexes };
}

/** What counts on top of the features that two requests share. */
const SAME = { lastUser: 0.5, system: 0.15, model: 0.1 };

interface SimilarRequest {
  readonly entry: string;
  readonly score: number;
}

/**
 * Finds the recorded requests of the same provider and operation that are most like one, the nearest first. A
 * feature weighs more if fewer recorded requests have it.
 */
export function findSimilar(
  request: KeyedRequest,
  table: FeatureTable,
  count: number,
): readonly SimilarRequest[] {
  const features = readFeatures(request);
  const group = table.get(features.kind);
  if (group === undefined) return [];
  const { requests, begins, hashes, indexes } = group;
  const common = new Float64Array(requests.length);
  const shared = new Uint8Array(requests.length);
  let total = 0;
  for (const hash of features.hashes) {
    const bucket = hash & (begins.length - 2);
    const [begin, end] = [begins[bucket] ?? 0, begins[bucket + 1] ?? 0];
    let having = 0;
    for (let place = begin; place < end; place += 1) if (hashes[place] === hash) having += 1;
    const weight = Math.log(1 + requests.length / Math.max(1, having));
    total += weight;
    for (let place = begin; place < end; place += 1) {
      if (hashes[place] !== hash) continue;
      const index = indexes[place] ?? 0;
      common[index] = (common[index] ?? 0) + weight;
      shared[index] = (shared[index] ?? 0) + 1;
    }
  }
  // A feature that only the recorded request has weighs as much as the average one.
  const average = total / Math.max(1, features.hashes.length);
  const best: SimilarRequest[] = [];
  for (const [index, { entry, features: other }] of requests.entries()) {
    const all = total + (other.hashes.length - (shared[index] ?? 0)) * average;
    const score =
      (all === 0 ? 1 : (common[index] ?? 0) / all) +
      (other.lastUser === features.lastUser ? SAME.lastUser : 0) +
      (other.system === features.system ? SAME.system : 0) +
      (other.model === features.model ? SAME.model : 0);
    const place = best.findLastIndex((one) => one.score >= score) + 1;
    if (place < count) best.splice(place, 0, { entry, score });
    if (best.length > count) best.pop();
  }
  return best;
}
