import type { RequestBody } from "../../base/read-body.ts";
import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  type JsonTree,
  getMember,
} from "../../base/json/json-tree.ts";
import { writeCanonicalJson, writeCanonicalNumber, listKeyHeaders, normalizeAddress } from "../key/key.ts";
import { getTreeText } from "../differences/wording.ts";
import { type KeyedRequest } from "../../cassette/recorded-request.ts";

/** Hashed facts about a request that tell how like another one it is. They hold no text. */
export interface Features {
  /** The hash of the provider and the operation. */
  readonly kind: number;
  /** Hashes of the model, the last user text, and the system prompt; 0 where there is none. */
  readonly model: number;
  readonly lastUser: number;
  readonly system: number;
  /** Hashes of settings, texts, and words: at most `MOST_WHOLE + MOST_WORDS`. */
  readonly hashes: readonly number[];
}

/** Settings and whole texts, the first of them in wire order. */
const MOST_WHOLE = 64;
/** Words; a power of two. */
const MOST_WORDS = 32;
/** Characters of a text from which words are read: for its features, and to compare it with another one. */
const READ = { features: 512, comparison: 65_536 };
const LONGEST_WORD = 64;
/** Scripts without blanks count by character. */
const CHARACTER = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;
const WORD = new RegExp(`${CHARACTER.source}|[\\p{L}\\p{N}_]+`, "gu");
const utf8 = new TextDecoder("utf-8", { fatal: true });

interface Collected {
  readonly whole: ReturnType<typeof createWhole>;
  readonly words: ReturnType<typeof createWords>;
}

/**
 * Reads a request's features: its path, its settings, its texts as wholes, and their words; of the last user text
 * also pairs of words.
 */
export function readFeatures(request: KeyedRequest): Features {
  const collected: Collected = { whole: createWhole(), words: createWords() };
  const tree = request.body.kind === "json" ? request.body.tree : undefined;
  const gist = readGist(request.path, tree);
  const { path, query } = normalizeAddress(request.path, request.provider);
  const headers = listKeyHeaders(request).map((header) => header.join(": "));
  for (const text of [request.method, path, query, ...headers]) collected.whole.add(hashText(text, 1));
  if (gist.lastUser !== undefined) addPhrases(gist.lastUser, collected);
  if (tree === undefined) addBytes(request.body, collected);
  else addTree(tree, 2, 0, collected);
  return {
    kind: hashText(`${request.provider} ${request.operation}`, 9),
    model: hashOrNone(gist.model),
    lastUser: hashOrNone(gist.lastUser),
    system: hashOrNone(gist.system),
    hashes: [...collected.whole.first, ...collected.words.smallest.filter((hash) => hash !== NO_WORD)],
  };
}

/** `place` is the hash of the path to the tree; positions in arrays are not part of it, roles are. */
function addTree(tree: JsonTree, place: number, depth: number, collected: Collected): void {
  if (typeof tree === "string") addText(tree, place, collected);
  else if (typeof tree !== "object" || tree === null) addSetting(String(tree), place, depth, collected);
  else if (isJsonNumber(tree)) addSetting(writeCanonicalNumber(tree.number), place, depth, collected);
  else if (isJsonObject(tree)) {
    for (const member of tree.members) addTree(member[1], hashText(member[0], place), depth + 1, collected);
  } else if (isJsonArray(tree)) {
    for (const element of tree) {
      const role = roleOf(element);
      const inside = role === undefined ? mix(place, 4) : hashText(role, place);
      addTree(element, inside, depth + 1, collected);
    }
  }
}

function addSetting(value: string, place: number, depth: number, collected: Collected): void {
  (depth <= 1 ? collected.whole : collected.words).add(hashText(value, place));
}

function addText(text: string, place: number, { whole, words }: Collected): void {
  whole.add(hashText(text, place));
  visitWords(text, words.add);
}

/** The words of the text that matters most, and each with the one before it. */
function addPhrases(text: string, { whole }: Collected): void {
  let previous = 6;
  visitWords(text, (word) => {
    const hash = mix(word, 6);
    whole.add(hash);
    whole.add(mix(previous, hash));
    previous = hash;
    return whole.first.length < MOST_WHOLE / 2;
  });
}

function addBytes(body: RequestBody, { whole, words }: Collected): void {
  if (body.kind !== "bytes") return;
  const beginning = body.bytes.subarray(0, READ.comparison);
  try {
    addText(utf8.decode(beginning, { stream: true }), 7, { whole, words });
  } catch {
    for (let at = 0; at < beginning.length; at += 64)
      words.add(beginning.subarray(at, at + 64).reduce(mix, 7));
  }
}

/** Creates the collection of a request's settings and whole texts, which keeps the first ones. */
function createWhole() {
  const first: number[] = [];
  return {
    first: first as readonly number[],
    add(hash: number): void {
      // Searching 64 numbers is faster than growing a set.
      if (first.length < MOST_WHOLE && !first.includes(hash)) first.push(hash);
    },
  };
}

/**
 * Creates the collection of a request's words. It keeps the smallest hash of each of `MOST_WORDS` groups, so that requests
 * that share words keep the same ones.
 */
function createWords() {
  const smallest = Array.from({ length: MOST_WORDS }, () => NO_WORD);
  return {
    smallest: smallest as readonly number[],
    add: (hash: number): true => {
      const group = hash & (MOST_WORDS - 1);
      if (hash < (smallest[group] ?? hash)) smallest[group] = hash;
      return true;
    },
  };
}

const NO_WORD = 0x7fff_ffff;

/** Words in lower case; of a long text those of its beginning. */
export function* splitWords(text: string): Generator<string> {
  for (const [word] of text.slice(0, READ.comparison).toLowerCase().matchAll(WORD))
    if (word.length <= LONGEST_WORD) yield word;
}

/** Visits the hashes of the words at the beginning of a text, without creating them, until `visit` returns false. */
function visitWords(text: string, visit: (hash: number) => boolean): void {
  const lower = text.slice(0, READ.features).toLowerCase();
  let hash = 0;
  let length = 0;
  for (let at = 0; at <= lower.length; at += 1) {
    const unit = at === lower.length ? BLANK : lower.charCodeAt(at);
    const kind = (KINDS[unit] ||= classify(unit));
    if (kind === LETTER) {
      hash = Math.imul(hash ^ unit, 16_777_619);
      length += 1;
      continue;
    }
    if (length > 0 && length <= LONGEST_WORD && !visit(mix(hash, length))) return;
    if (kind === ALONE && !visit(mix(unit, 1))) return;
    [hash, length] = [0, 0];
  }
}

const BLANK = 32;
const [LETTER, ALONE, OTHER] = [1, 2, 3];
/** The kinds of UTF-16 units; 0 until one is read. Both halves of a pair count as letters. */
const KINDS = new Uint8Array(0x1_0000);

function classify(unit: number): number {
  const character = String.fromCharCode(unit);
  if (CHARACTER.test(character)) return ALONE;
  return /[\p{L}\p{N}_\ud800-\udfff]/u.test(character) ? LETTER : OTHER;
}

const hashOrNone = (text: string | undefined): number => (text === undefined ? 0 : hashText(text, 8) || 1);

/** A summary of a request for people, read from any provider's JSON by the usual field names. */
export interface Gist {
  readonly model: string | undefined;
  /** The text of the last user message. */
  readonly lastUser: string | undefined;
  readonly system: string | undefined;
}

const SYSTEM_NAMES = ["system", "systemInstruction", "system_instruction", "instructions"];
const MESSAGES_NAMES = ["messages", "contents", "input"];
const PROMPT_NAMES = ["prompt", "input", "inputs", "text"];

/** Members that are not where they usually are stay undefined. `tree` is undefined for a body that is not JSON. */
export function readGist(path: string, tree: JsonTree | undefined): Gist {
  const model = textUnder(tree, ["model"]) ?? /\/models?\/([^/:?]+)/.exec(path)?.[1];
  const messages = MESSAGES_NAMES.map((name) => getMember(tree, name)).find(
    (value) => value !== undefined && isJsonArray(value),
  );
  const list = messages !== undefined && isJsonArray(messages) ? messages : [];
  const user = list.findLast((message) => roleOf(message) === "user" && getTreeText(message) !== undefined);
  const instructions = list.find((message) => ["system", "developer"].includes(roleOf(message) ?? ""));
  const lastUser = user === undefined ? textUnder(tree, PROMPT_NAMES) : getTreeText(user);
  const system =
    textUnder(tree, SYSTEM_NAMES) ?? (instructions === undefined ? undefined : getTreeText(instructions));
  return { model, lastUser, system };
}

function textUnder(tree: JsonTree | undefined, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = getMember(tree, name);
    const text = value === undefined ? undefined : getTreeText(value);
    if (text !== undefined) return text;
  }
  return undefined;
}

function roleOf(message: JsonTree): string | undefined {
  const role = getMember(message, "role");
  return typeof role === "string" ? role : undefined;
}

/** Paths to the turns of a conversation in the bodies of different protocols. */
const LISTS = [["messages"], ["input"], ["contents"], ["input", "messages"]] as const;
const ANSWERING = new Set(["assistant", "model", "tool", "function"]);

/** Whether two conversations begin with the same turns, among them an answer or the result of a tool. */
export function areContinuations(recorded: JsonTree, asked: JsonTree): boolean {
  return LISTS.some((way) => {
    const [before = [], now = []] = [listAt(recorded, way), listAt(asked, way)];
    for (const [index, turn] of now.entries()) {
      const old = before[index];
      if (old === undefined || writeCanonicalJson(old) !== writeCanonicalJson(turn)) return false;
      // Items of the responses protocol that are no messages are known by their type.
      if (ANSWERING.has(roleOf(turn) ?? "") || getMember(turn, "type") === "function_call_output")
        return true;
    }
    return false;
  });
}

function listAt(tree: JsonTree, way: readonly string[]): readonly JsonTree[] | undefined {
  const value = way.reduce<JsonTree | undefined>(getMember, tree);
  return value !== undefined && isJsonArray(value) ? value : undefined;
}

/** Longer texts count by their length and by this many of their characters. */
const WHOLE = 16_384;

/**
 * 32 bits of a text (FNV-1a with a final mix); another seed gives another hash. Quick and not collision-resistant: for
 * finding what is alike, never for keys.
 */
export function hashText(text: string, seed: number): number {
  const step = text.length <= WHOLE ? 1 : Math.ceil(text.length / WHOLE);
  let hash = 2_166_136_261 ^ seed;
  for (let at = 0; at < text.length; at += step) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  return mix(hash, text.length);
}

/** Combines two numbers into one of 32 bits; the order matters. Signed numbers take no memory of their own. */
export function mix(a: number, b: number): number {
  let hash = Math.imul(a ^ Math.imul(b + 0x9e37, 0x85eb_ca6b), 0xc2b2_ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x27d4_eb2f);
  return hash ^ (hash >>> 13);
}
