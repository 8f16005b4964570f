import { mapGroups } from "../../base/group-by.ts";
import type { KeyedRequest } from "../../cassette/recorded-request.ts";
import { readFeatures, type Features } from "./features.ts";

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

/**
 * Entries of the recorded requests of the same provider and operation that are most like one, the nearest first. A
 * feature weighs more if fewer recorded requests have it.
 */
export function findSimilar(request: KeyedRequest, table: FeatureTable, count: number): readonly string[] {
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
  const best: { readonly entry: string; readonly score: number }[] = [];
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
  return best.map(({ entry }) => entry);
}
