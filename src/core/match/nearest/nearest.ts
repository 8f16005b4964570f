import type { Nearest } from "../../call/call.ts";
import type { Recording, RecordingAddress } from "../../cassette/recording.ts";
import type { CassetteStore } from "../../cassette/store.ts";
import { isJsonArray, isJsonNumber, isJsonObject, type JsonTree } from "../../base/json/json-tree.ts";
import { isCoincidence } from "../origins/coincide.ts";
import { readOperationRequest, readProtocolRequest, readRuledRequest } from "../read-request.ts";
import type { Exchange, OperationRequest } from "../read-request.ts";
import { listDifferences } from "../differences/differences.ts";
import { normalizeRequest, type Normalizer } from "../key/key.ts";
import { type KeyedRequest } from "../../cassette/recorded-request.ts";
import { readFeatures, readGist, areContinuations, splitWords, type Features } from "./features.ts";

export interface NearestParts {
  readonly store: CassetteStore;
  readonly normalizer: () => Normalizer | undefined;
  /** Reads a recorded request without its reply, if that is possible. Default: reads the whole recording. */
  readonly readRequest?: (address: RecordingAddress) => OperationRequest | undefined;
  /** Selects the newest recordings of a folder that has more than `MOST_COMPARED`. Default: the last ones listed. */
  readonly newest?: (all: readonly RecordingAddress[], count: number) => readonly RecordingAddress[];
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
    for (const entry of findSimilar(request, features, ATTEMPTS)) {
      const recording = await store.read(entry).catch(() => undefined);
      const nearest = recording && nearestFrom(recording, entry, { sent, request, normalize });
      if (nearest !== undefined) return { nearest, ...left };
    }
    return left;
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
      if (!known.has(entry)) known.set(entry, await readRecordedFeatures(address, parts));
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
    const request = readRequest?.(address) ?? readOperationRequest(await store.read(address.entry));
    return readFeatures(normalizeRequest(request, normalizer()));
  } catch {
    return undefined;
  }
}

function requestOf({ call, protocol: { operation }, headers, values }: MissedExchange): KeyedRequest {
  const request = readProtocolRequest({ call, protocol: { operation } });
  return { ...request, operation, ...(headers && { headers }), ...(values && { values }) };
}

/** Undefined if the recording is unrelated. */
function nearestFrom(
  recording: Recording,
  entry: string,
  {
    sent,
    request,
    normalize,
  }: {
    readonly sent: KeyedRequest;
    readonly request: KeyedRequest;
    readonly normalize: Normalizer | undefined;
  },
): Nearest | undefined {
  const { recordedAt, key } = recording;
  const recorded = readRuledRequest(recording, normalize);
  if (!isNear(recorded, request)) return undefined;
  return {
    entry,
    key,
    recordedAt,
    differences: listDifferences(recorded, request),
    ...(recording.request.values !== undefined &&
      isCoincidence(readOperationRequest(recording), sent, normalize) && { coincides: true }),
  };
}

/** A recorded request to compare with a missed one. */
export interface ListedRequest {
  readonly entry: string;
  readonly features: Features;
}

/** What counts on top of the features that two requests share. */
const SAME = { lastUser: 0.5, system: 0.15, model: 0.1 };

/** Recorded requests to compare with missed ones. All hashes are in one array, because each miss reads all of them. */
export interface FeatureTable {
  readonly requests: readonly ListedRequest[];
  readonly hashes: Int32Array;
  /** The index behind the last hash of each request. */
  readonly ends: readonly number[];
}

export function createFeatureTable(requests: readonly ListedRequest[]): FeatureTable {
  let end = 0;
  const ends = requests.map(({ features }) => (end += features.hashes.length));
  const hashes = new Int32Array(end);
  for (const [at, { features }] of requests.entries()) hashes.set(features.hashes, ends[at - 1] ?? 0);
  return { requests, hashes, ends };
}

/** Entries of the recorded requests of the same provider and operation that are most like one, the nearest first. */
export function findSimilar(request: KeyedRequest, table: FeatureTable, count: number): readonly string[] {
  const features = readFeatures(request);
  const { requests, hashes, ends } = table;
  const group: number[] = [];
  for (const [at, one] of requests.entries()) if (one.features.kind === features.kind) group.push(at);
  const { weightOf, total } = weighFeatures(features, table, group);
  // A feature that only the recorded request has weighs as much as the average one.
  const average = total / Math.max(1, features.hashes.length);
  const scoreOf = ({ lastUser, system, model }: Features, begin: number, end: number): number => {
    let common = 0;
    let others = 0;
    for (let at = begin; at < end; at += 1) {
      const weight = weightOf(hashes[at] ?? 0);
      if (weight === 0) others += 1;
      else common += weight;
    }
    const all = total + others * average;
    const shared = all === 0 ? 1 : common / all;
    return (
      shared +
      (lastUser === features.lastUser ? SAME.lastUser : 0) +
      (system === features.system ? SAME.system : 0) +
      (model === features.model ? SAME.model : 0)
    );
  };
  const best: { readonly entry: string; readonly score: number }[] = [];
  for (const at of group) {
    const one = requests[at];
    if (one === undefined) continue;
    const score = scoreOf(one.features, ends[at - 1] ?? 0, ends[at] ?? 0);
    const place = best.findLastIndex((other) => other.score >= score) + 1;
    if (place < count) best.splice(place, 0, { entry: one.entry, score });
    if (best.length > count) best.pop();
  }
  return best.map(({ entry }) => entry);
}

/** Requests among which is counted how frequent each feature is. */
const SAMPLE = 1_000;
/** Slots of a hash table, several times the number of a request's features. */
const SLOTS = 1_024;

/**
 * Weighs the features of a request: those that fewer recorded requests have weigh more, and those that it lacks 0. The
 * table is smaller and faster than a `Map`, because each miss looks up the features of all recordings.
 */
function weighFeatures({ hashes }: Features, table: FeatureTable, group: readonly number[]) {
  const known = new Int32Array(SLOTS);
  const weights = new Float64Array(SLOTS);
  // Most hashes of other requests are none of these, which one look at a byte shows.
  const isPossible = new Uint8Array(4 * SLOTS);
  const slotOf = (hash: number): number => {
    let slot = hash & (SLOTS - 1);
    while (known[slot] !== hash && known[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
    return slot;
  };
  const weightOf = (hash: number): number =>
    isPossible[hash & (4 * SLOTS - 1)] === 0 ? 0 : (weights[slotOf(hash)] ?? 0);
  for (const hash of hashes) {
    known[slotOf(hash)] = hash;
    isPossible[hash & (4 * SLOTS - 1)] = 1;
  }
  const step = Math.max(1, Math.floor(group.length / SAMPLE));
  for (let nth = 0; nth < group.length; nth += step)
    for (const hash of table.requests[group[nth] ?? 0]?.features.hashes ?? []) {
      const slot = slotOf(hash);
      if (known[slot] !== 0) weights[slot] = (weights[slot] ?? 0) + step;
    }
  let total = 0;
  for (const hash of hashes) {
    const weight = Math.log(1 + group.length / Math.max(1, weightOf(hash)));
    weights[slotOf(hash)] = weight;
    total += weight;
  }
  return { weightOf, total };
}

/** The share of words that two texts about the same thing have in common; measured in docs/decisions/008. */
const ALIKE = 0.6;

/**
 * Whether a recorded request is about the same as a missed one: even the most similar one may share only the model and
 * a system prompt that all have. A conversation that departs late from the recorded one is about the same.
 */
export function isNear(recorded: KeyedRequest, request: KeyedRequest): boolean {
  const [before, now] = [treeOf(recorded), treeOf(request)];
  if (before === undefined || now === undefined) return true; // files: only their names and sizes could be compared
  if (areContinuations(before, now)) return true;
  const texts = [readGist(recorded.path, before).lastUser, readGist(request.path, now).lastUser] as const;
  const [one, other] =
    texts[0] === undefined || texts[1] === undefined ? [textsIn(before), textsIn(now)] : texts;
  return one === other || shareOfWords(one ?? "", other ?? "") >= ALIKE;
}

function treeOf({ body }: KeyedRequest): JsonTree | undefined {
  return body.kind === "json" ? body.tree : undefined;
}

function textsIn(tree: JsonTree): string {
  if (typeof tree === "string") return tree;
  if (typeof tree !== "object" || tree === null || isJsonNumber(tree)) return "";
  if (isJsonArray(tree)) return tree.map(textsIn).join(" ");
  return isJsonObject(tree) ? tree.members.map(([, value]) => textsIn(value)).join(" ") : "";
}

/**
 * Twice the words in common, of all words of both: 0 to 1, and 1 for two texts without words. Words with digits count
 * only where that makes the texts more alike: in a short text, an id or a date may be most of its words.
 */
function shareOfWords(one: string, other: string): number {
  const [all, plain] = [countedWords(one, other, () => true), countedWords(one, other, isPlainWord)];
  return Math.max(all ?? 1, plain ?? 0);
}

const isPlainWord = (word: string): boolean => !/\d/.test(word);

/** Undefined where there are no words. */
function countedWords(one: string, other: string, counts: (word: string) => boolean): number | undefined {
  const left = new Map<string, number>();
  let [all, common] = [0, 0];
  for (const word of splitWords(one)) {
    if (!counts(word)) continue;
    all += 1;
    left.set(word, (left.get(word) ?? 0) + 1);
  }
  for (const word of splitWords(other)) {
    if (!counts(word)) continue;
    all += 1;
    const rest = left.get(word) ?? 0;
    if (rest > 0) common += 1;
    left.set(word, rest - 1);
  }
  return all === 0 ? undefined : (2 * common) / all;
}
