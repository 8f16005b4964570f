import type { RequestBody } from "../../protocol/protocol.ts";
import {
  canonicalNumber,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  type JsonTree,
  member,
} from "../../json/json-tree.ts";
import { normaliseAddress, type KeyedRequest } from "../key/key.ts";
import { keyHeaders } from "../key/key-headers.ts";
import { gistOf } from "./gist.ts";
import { hashText, mix } from "./hash.ts";
import { partsOf, type RequestParts } from "./request-parts.ts";

/** A request as a set of hashed facts about it. */
export interface Features {
  /** Distinct, in ascending order, at most `MAX_TELLING + MAX_SAMPLED`. */
  readonly hashes: Uint32Array;
  /** Hashes of the gist; 0 where there is none. */
  readonly model: number;
  readonly lastUser: number;
  readonly system: number;
  readonly parts: RequestParts;
}

const MAX_TELLING = 96;
const MAX_SAMPLED = 96;
/** Words are read from so much of a text. */
const READ = 65_536;
/** Scripts without blanks count by character. */
const WORD = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}_]+/gu;
const utf8 = new TextDecoder("utf-8", { fatal: true });

interface Collected {
  /** What tells requests apart best: always kept, first come first. */
  readonly telling: Set<number>;
  /** Of the others the smallest hashes are kept, which are the same ones in requests that share them. */
  readonly others: Set<number>;
  /** The distinct words of a text, as hashes. */
  readonly wordsIn: (text: string) => readonly number[];
}

/** Texts that many requests share, such as system prompts, are taken apart once. */
const SHARED = { texts: 64, from: 160, to: 65_536 };

/**
 * Reads a request's features: its path, its settings, its texts as wholes, and their words; for the last user text
 * also pairs of words. Hashes of different providers and operations have nothing in common.
 */
export const featuresOf = (request: KeyedRequest): Features => createFeatureReader()(request);

/** `featuresOf` for many requests: it remembers the words of some texts. */
export function createFeatureReader(): (request: KeyedRequest) => Features {
  const known = new Map<string, readonly number[]>();
  const wordsIn = (text: string): readonly number[] => {
    if (text.length < SHARED.from || text.length > SHARED.to) return wordHashes(text);
    const words = known.get(text) ?? wordHashes(text);
    // The latest last: what was not asked for longest goes first.
    known.delete(text);
    known.set(text, words);
    const [oldest] = known.size > SHARED.texts ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
    return words;
  };
  return (request) => readFeatures(request, wordsIn);
}

function readFeatures(request: KeyedRequest, wordsIn: Collected["wordsIn"]): Features {
  const collected: Collected = { telling: new Set(), others: new Set(), wordsIn };
  const tree = request.body.kind === "json" ? request.body.tree : undefined;
  const gist = gistOf(request.path, tree);
  const { path, query } = normaliseAddress(request.path, request.provider);
  const headers = keyHeaders(request).map((header) => header.join(": "));
  for (const text of [request.method, path, query, ...headers]) collected.telling.add(hashText(text, 1));
  if (gist.lastUser !== undefined) addPhrases(gist.lastUser, collected);
  if (tree === undefined) addBytes(request.body, collected);
  else addTree(tree, 2, 0, collected);
  const scope = hashText(request.operation, hashText(request.provider, 3));
  return {
    hashes: selectHashes(collected, scope),
    model: hashOrNone(gist.model),
    lastUser: hashOrNone(gist.lastUser),
    system: hashOrNone(gist.system),
    parts: partsOf(tree, [request.method, path, query, ...headers].join("\n")),
  };
}

/** `place` is the hash of the way to the tree; positions in arrays are not part of it, roles are. */
function addTree(tree: JsonTree, place: number, depth: number, collected: Collected): void {
  if (typeof tree === "string") addText(tree, place, collected);
  else if (typeof tree !== "object" || tree === null) addSetting(String(tree), place, depth, collected);
  else if (isJsonNumber(tree)) addSetting(canonicalNumber(tree.number), place, depth, collected);
  else if (isJsonObject(tree)) {
    for (const [name, value] of tree.members) addTree(value, hashText(name, place), depth + 1, collected);
  } else if (isJsonArray(tree)) {
    for (const element of tree) {
      const role = member(element, "role");
      addTree(
        element,
        typeof role === "string" ? hashText(role, place) : mix(place, 4),
        depth + 1,
        collected,
      );
    }
  }
}

function addSetting(value: string, place: number, depth: number, collected: Collected): void {
  (depth <= 1 ? collected.telling : collected.others).add(hashText(value, place));
}

function addText(text: string, place: number, collected: Collected): void {
  collected.telling.add(hashText(text, place));
  for (const word of collected.wordsIn(text)) collected.others.add(word);
}

function wordHashes(text: string): readonly number[] {
  const hashes = new Set<number>();
  for (const word of wordsOf(text)) hashes.add(hashText(word, 5));
  return [...hashes];
}

/** The words of the text that matters most, and each with the one before it. */
function addPhrases(text: string, collected: Collected): void {
  let previous = 6;
  for (const word of wordsOf(text)) {
    if (collected.telling.size >= MAX_TELLING / 2) return;
    const hash = hashText(word, 6);
    collected.telling.add(hash);
    collected.telling.add(mix(previous, hash));
    previous = hash;
  }
}

function addBytes(body: RequestBody, collected: Collected): void {
  if (body.kind !== "bytes") return;
  const beginning = body.bytes.subarray(0, READ);
  try {
    addText(utf8.decode(beginning, { stream: true }), 7, collected);
  } catch {
    for (let at = 0; at < beginning.length; at += 64) {
      collected.others.add(beginning.subarray(at, at + 64).reduce(mix, 7) >>> 0);
    }
  }
}

/** In lower case; of a long text those of its beginning. */
export function* wordsOf(text: string): Generator<string> {
  for (const [word] of text.slice(0, READ).toLowerCase().matchAll(WORD)) if (word.length <= 64) yield word;
}

function selectHashes({ telling, others }: Collected, scope: number): Uint32Array {
  const hashes = new Set([...telling].slice(0, MAX_TELLING).map((hash) => mix(hash, scope)));
  const sample = Uint32Array.from(others, (hash) => mix(hash, scope)).sort();
  for (const hash of sample.subarray(0, MAX_SAMPLED)) hashes.add(hash);
  return Uint32Array.from(hashes).sort();
}

const hashOrNone = (text: string | undefined): number => (text === undefined ? 0 : hashText(text, 8) || 1);
