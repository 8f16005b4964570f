import type { Key, Nearest } from "../../call/call.ts";
import type { Recording, RecordingAddress } from "../../cassette/recording.ts";
import type { CassetteStore } from "../../cassette/store.ts";
import { isJsonArray, isJsonNumber, isJsonObject, type JsonTree } from "../../base/json/json-tree.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import { protocolRequest, ruledRequest } from "../read-request.ts";
import type { Exchange } from "../read-request.ts";
import { differences } from "../differences/differences.ts";
import { normaliseRequest, type Normaliser } from "../key/key.ts";
import { type KeyedRequest } from "../../cassette/recorded-request.ts";
import { departure, featuresOf, gistOf, wordsOf, type Features } from "./features.ts";

/** The data of a recorded request that the search for the nearest one needs. It is the same for requests with one key. */
export interface NotedRequest {
  readonly operation: string;
  readonly features: Features;
}

export type FeatureNotes = ReadonlyMap<Key, NotedRequest>;

/** Keeps notes for later processes. Losing them costs only time. */
export interface NotedFeatures {
  /** Resolves to an empty map where there are no usable notes. Never throws. */
  read(): Promise<FeatureNotes>;
  /** Never throws. */
  write(notes: FeatureNotes): Promise<void>;
}

export interface NearestParts {
  readonly store: CassetteStore;
  readonly normaliser: () => Normaliser | undefined;
  /** Without them, each process reads every recording once. */
  readonly notes?: NotedFeatures | undefined;
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
type MissedExchange = Pick<Exchange, "call" | "protocol" | "headers">;

/** In a larger folder, only the newest recordings are compared. */
const MOST_COMPARED = 20_000;
/** Maximum number of recordings tried if the most similar ones cannot be read or are unrelated. */
const ATTEMPTS = 8;
/** Recordings that are read at the same time. */
const AT_ONCE = 32;
/** Minimum number of recordings read for which notes are written for the next process. */
const WORTH_NOTING = 64;

/** Finds the nearest recordings of missed calls. Nothing is read before the first miss. */
export function createNearestFinder(parts: NearestParts): (missed: MissedExchange) => Promise<NearestSearch> {
  const { store, normaliser } = parts;
  const catchUp = createRequestTable(parts);
  let catchingUp: Promise<RequestTable> | undefined;
  return async (missed) => {
    const before = catchingUp;
    // Misses at the same time wait for each other, so that each recording is read once.
    catchingUp = (async () => {
      await before?.catch(() => undefined);
      return await catchUp();
    })();
    const { requests, uncompared } = await catchingUp;
    const normalise = normaliser();
    const request = requestOf(missed, normalise);
    for (const entry of mostSimilar(request, requests.values(), ATTEMPTS)) {
      const recording = await store.read(entry).catch(() => undefined);
      const nearest = recording && nearestFrom(recording, entry, { request, normalise });
      if (nearest !== undefined) return { nearest, ...pickDefined({ uncompared }) };
    }
    return pickDefined({ uncompared });
  };
}

export interface ListedRequest extends NotedRequest {
  readonly entry: string;
  readonly provider: string;
}

interface RequestTable {
  readonly requests: ReadonlyMap<string, ListedRequest>;
  readonly uncompared: number | undefined;
}

/** Keeps the features of a store's recordings; each call brings them up to date with the store's list. */
function createRequestTable({ store, normaliser, notes, newest }: NearestParts): () => Promise<RequestTable> {
  const requests = new Map<string, ListedRequest>();
  let listed: readonly RecordingAddress[] | undefined;
  let noted: Map<Key, NotedRequest> | undefined;
  let uncompared: number | undefined;
  return async () => {
    const all = await store.list();
    if (all === listed) return { requests, uncompared };
    const compared =
      all.length <= MOST_COMPARED ? all : (newest?.(all, MOST_COMPARED) ?? all.slice(-MOST_COMPARED));
    uncompared = all.length === compared.length ? undefined : all.length - compared.length;
    const entries = new Set(compared.map(({ entry }) => entry));
    for (const entry of requests.keys()) if (!entries.has(entry)) requests.delete(entry);
    noted ??= new Map(await notes?.read());
    const unread: RecordingAddress[] = [];
    for (const address of compared) {
      const { entry, key, provider } = address;
      if (requests.has(entry)) continue;
      const note = noted.get(key);
      if (note === undefined) unread.push(address);
      else requests.set(entry, { ...note, entry, provider });
    }
    const normalise = normaliser();
    const readOne = async ({ entry, key, provider }: RecordingAddress): Promise<void> => {
      try {
        const request = ruledRequest(await store.read(entry), normalise);
        const note = { operation: request.operation, features: featuresOf(request) };
        requests.set(entry, { ...note, entry, provider });
        noted?.set(key, note);
      } catch {
        // A broken recording is reported where recordings are checked.
      }
    };
    for (let at = 0; at < unread.length; at += AT_ONCE)
      await Promise.all(unread.slice(at, at + AT_ONCE).map(readOne));
    const keys = new Set(compared.map(({ key }) => key));
    if (notes !== undefined && unread.length >= WORTH_NOTING)
      void notes.write(new Map([...noted].filter(([key]) => keys.has(key))));
    listed = all;
    return { requests, uncompared };
  };
}

function requestOf(
  { call, protocol: { operation }, headers }: MissedExchange,
  normalise: Normaliser | undefined,
): KeyedRequest {
  const request = protocolRequest({ call, protocol: { operation } });
  return normaliseRequest({ ...request, operation, ...pickDefined({ headers }) }, normalise);
}

/** Undefined if the recording is unrelated. */
function nearestFrom(
  recording: Recording,
  entry: string,
  { request, normalise }: { readonly request: KeyedRequest; readonly normalise: Normaliser | undefined },
): Nearest | undefined {
  const { recordedAt, key } = recording;
  const recorded = ruledRequest(recording, normalise);
  if (!isNear(recorded, request)) return undefined;
  return {
    entry,
    key,
    recordedAt,
    differences: differences(recorded, request),
    ...pickDefined({ departure: departure(recorded.body, request.body) }),
  };
}

/** What counts on top of the features that two requests share. */
const SAME = { lastUser: 0.5, system: 0.15, model: 0.1 };
const ALL_SAME = 1.75;

/** Entries of the recorded requests of the same provider and operation that are most like one, the nearest first. */
export function mostSimilar(
  request: KeyedRequest,
  recorded: Iterable<ListedRequest>,
  count: number,
): readonly string[] {
  const { provider, operation } = request;
  const candidates = [...recorded].filter((one) => one.operation === operation && one.provider === provider);
  const likeness = likenessTo(featuresOf(request), candidates);
  const best: { readonly entry: string; readonly score: number }[] = [];
  for (const { entry, features: other } of candidates) {
    const score = likeness(other);
    if (best.length === count && score <= (best.at(-1)?.score ?? 0)) continue;
    const place = best.findIndex((one) => one.score < score);
    best.splice(place < 0 ? best.length : place, 0, { entry, score });
    best.length = Math.min(best.length, count);
  }
  return best.map(({ entry }) => entry);
}

/** Low bits of a hash, by which the weight of a feature is found: two features of one request seldom share them. */
const LOW_BITS = 0xfff;

/**
 * Returns what scores the likeness of two requests from 0 to 1: the weight of the features that they share, of all that
 * both have, and what matters most on top. Features that fewer recorded requests have weigh more.
 */
function likenessTo(request: Features, recorded: readonly ListedRequest[]): (other: Features) => number {
  const { hashes } = request;
  const slots = new Uint16Array(LOW_BITS + 1);
  for (const [index, hash] of hashes.entries()) slots[hash & LOW_BITS] = index + 1;
  const counts = new Float64Array(hashes.length + 1);
  /** Position of a feature among those of the request, from 1; 0 where it has no such feature. */
  const slotOf = (hash: number): number => {
    const slot = slots[hash & LOW_BITS] ?? 0;
    return slot > 0 && hashes[slot - 1] === hash ? slot : 0;
  };
  for (const { features } of recorded) {
    const others = features.hashes;
    for (let at = 0; at < others.length; at += 1) {
      const slot = slotOf(others[at] ?? 0);
      counts[slot] = (counts[slot] ?? 0) + 1;
    }
  }
  const weights = counts.map((count, slot) =>
    slot === 0 ? 0 : Math.log(1 + recorded.length / Math.max(1, count)),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  // A feature that only the other request has weighs as much as the average one.
  weights[0] = -total / Math.max(1, hashes.length);
  return (other) => {
    let common = 0;
    let all = total;
    for (let at = 0; at < other.hashes.length; at += 1) {
      const weight = weights[slotOf(other.hashes[at] ?? 0)] ?? 0;
      if (weight > 0) common += weight;
      else all -= weight;
    }
    let score = all === 0 ? 1 : common / all;
    if (other.lastUser === request.lastUser) score += SAME.lastUser;
    if (other.system === request.system) score += SAME.system;
    if (other.model === request.model) score += SAME.model;
    return score / ALL_SAME;
  };
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
  if (departure(recorded.body, request.body) !== undefined) return true;
  const texts = [gistOf(recorded.path, before).lastUser, gistOf(request.path, now).lastUser] as const;
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
  for (const word of wordsOf(one)) {
    if (!counts(word)) continue;
    all += 1;
    left.set(word, (left.get(word) ?? 0) + 1);
  }
  for (const word of wordsOf(other)) {
    if (!counts(word)) continue;
    all += 1;
    const rest = left.get(word) ?? 0;
    if (rest > 0) common += 1;
    left.set(word, rest - 1);
  }
  return all === 0 ? undefined : (2 * common) / all;
}
