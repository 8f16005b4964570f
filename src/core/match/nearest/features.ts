import type { Fields } from "../../base/lenient.ts";
import type { RequestBody } from "../../base/read-body.ts";
import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  plainJson,
  type JsonTree,
  getMember,
} from "../../base/json/json-tree.ts";
import { writeCanonicalJson, listKeyHeaders, normalizeAddress } from "../key/key.ts";
import { findText, listMembers } from "../differences/wording.ts";
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

/** A request whose features are read. The body of kind `plain` is a value of JSON.parse: features do not need the digits of numbers. */
export interface RequestWithFeatures extends Omit<KeyedRequest, "body"> {
  readonly body: RequestBody | { readonly kind: "plain"; readonly json: unknown };
}

interface CollectedFeatures extends Pick<Features, "lastUser" | "system"> {
  readonly gist: Gist;
  /** Settings and whole texts: at most `MOST_WHOLE`. */
  readonly whole: number[];
  /** The smallest hash of each group of words, so that requests that share words keep the same ones. */
  readonly words: number[];
}

/**
 * Reads a request's features: its path, its settings, its texts as wholes, and their words; of the last user text
 * also pairs of words.
 */
export function readFeatures(request: RequestWithFeatures): Features {
  const { provider, operation, method, body } = request;
  const json = body.kind === "plain" ? body.json : body.kind === "json" ? plainJson(body.tree) : undefined;
  const gist = readGist(request.path, json);
  const kind = hashText(operation, hashText(provider, 9));
  const model = hashOrNone(gist.model);
  const lastUser = hashOrNone(gist.lastUser);
  const system = hashOrNone(gist.system);
  const collected: CollectedFeatures = { gist, lastUser, system, whole: [], words: NO_WORDS.slice() };
  const { path, query } = normalizeAddress(request.path, provider);
  for (const text of [method, path, query]) addWhole(hashText(text, 1), collected);
  for (const header of listKeyHeaders(request)) addWhole(hashText(header.join(": "), 1), collected);
  if (gist.lastUser !== undefined) addPhrases(gist.lastUser, collected);
  if (json !== undefined) addValue(json, 2, 0, collected);
  else if (body.kind === "bytes") addBytes(body.bytes, collected);
  const hashes = collected.whole;
  for (const hash of collected.words) if (hash !== NO_WORD) hashes.push(hash);
  return { kind, model, lastUser, system, hashes };
}

/** `place` is the hash of the path to the value; positions in arrays are not part of it, roles are. */
function addValue(value: unknown, place: number, depth: number, collected: CollectedFeatures): void {
  if (typeof value === "string") addText(value, place, collected);
  else if (typeof value !== "object" || value === null) {
    const hash = hashText(String(value), place);
    if (depth <= 1) addWhole(hash, collected);
    else addWord(hash, collected);
  } else if (Array.isArray(value)) {
    for (const element of value as readonly unknown[]) {
      const role = roleOf(element);
      const inside = role === undefined ? mix(place, 4) : hashText(role, place);
      addValue(element, inside, depth + 1, collected);
    }
  } else {
    for (const name in value) addValue((value as Fields)[name], hashText(name, place), depth + 1, collected);
  }
}

function addText(text: string, place: number, collected: CollectedFeatures): void {
  const { gist, lastUser, system } = collected;
  const hash = text === gist.system ? system : text === gist.lastUser ? lastUser : hashOrNone(text);
  addWhole(mix(hash, place), collected);
  const count = hashWords(text);
  for (let at = 0; at < count; at += 1) addWord(hashed[at] ?? 0, collected);
}

/** Adds the words of the text that matters most, and each with the one before it. */
function addPhrases(text: string, collected: CollectedFeatures): void {
  let previous = 6;
  const count = hashWords(text);
  for (let at = 0; at < count && collected.whole.length < MOST_WHOLE / 2; at += 1) {
    const hash = mix(hashed[at] ?? 0, 6);
    addWhole(hash, collected);
    addWhole(mix(previous, hash), collected);
    previous = hash;
  }
}

function addBytes(bytes: Uint8Array, collected: CollectedFeatures): void {
  const beginning = bytes.subarray(0, READ.comparison);
  try {
    addText(utf8.decode(beginning, { stream: true }), 7, collected);
  } catch {
    for (let at = 0; at < beginning.length; at += 64)
      addWord(beginning.subarray(at, at + 64).reduce(mix, 7), collected);
  }
}

function addWhole(hash: number, { whole }: CollectedFeatures): void {
  // Searching 64 numbers is faster than growing a set.
  if (whole.length < MOST_WHOLE && !whole.includes(hash)) whole.push(hash);
}

function addWord(hash: number, { words }: CollectedFeatures): void {
  const group = hash & (MOST_WORDS - 1);
  if (hash < (words[group] ?? hash)) words[group] = hash;
}

const NO_WORD = 0x7fff_ffff;
const NO_WORDS: readonly number[] = Array.from({ length: MOST_WORDS }, () => NO_WORD);

/** Words in lower case; of a long text those of its beginning. */
function* splitWords(text: string): Generator<string> {
  for (const [word] of text.slice(0, READ.comparison).toLowerCase().matchAll(WORD))
    if (word.length <= LONGEST_WORD) yield word;
}

/** Hashes of words; each text uses the same memory. */
const hashed = new Int32Array(READ.features);

/** Fills `hashed` with the words at the beginning of a text, without creating them. Returns their number. */
function hashWords(text: string): number {
  const end = Math.min(text.length, READ.features);
  let [count, hash, length] = [0, 0, 0];
  for (let at = 0; at <= end; at += 1) {
    const unit = at === end ? BLANK : text.charCodeAt(at);
    const lower = (LOWER[unit] ||= readLower(unit));
    if (lower > ALONE) {
      hash = Math.imul(hash ^ lower, 16_777_619);
      length += 1;
      continue;
    }
    if (length > 0 && length <= LONGEST_WORD) hashed[count++] = mix(hash, length);
    if (lower === ALONE) hashed[count++] = mix(unit, 1);
    [hash, length] = [0, 0];
  }
  return count;
}

const BLANK = 32;
const [OTHER, ALONE] = [1, 2];
/** UTF-16 units of words in lower case, or their kind; 0 until one is read. Both halves of a pair count as letters. */
const LOWER = new Uint16Array(0x1_0000);

function readLower(unit: number): number {
  const character = String.fromCharCode(unit);
  if (CHARACTER.test(character)) return ALONE;
  return /[\p{L}\p{N}_\ud800-\udfff]/u.test(character) ? character.toLowerCase().charCodeAt(0) : OTHER;
}

const hashOrNone = (text: string | undefined): number => (text === undefined ? 0 : hashText(text, 8) || 1);

/** A summary of a request for people, read from any provider's JSON by the usual field names. */
export interface Gist {
  readonly model: string | undefined;
  /** The text of the last user message. */
  readonly lastUser: string | undefined;
  readonly system: string | undefined;
}

const MODEL_NAMES = ["model"];
const INSTRUCTING = new Set(["system", "developer"]);
const SYSTEM_NAMES = ["system", "systemInstruction", "system_instruction", "instructions"];
const MESSAGES_NAMES = ["messages", "contents", "input"];
const PROMPT_NAMES = ["prompt", "input", "inputs", "text"];

/** Members that are not where they usually are stay undefined. `json` is undefined for a body that is not JSON. */
function readGist(path: string, json: unknown): Gist {
  const messages = findFirst(json, MESSAGES_NAMES, (value) =>
    Array.isArray(value) ? (value as readonly unknown[]) : undefined,
  );
  const user = messages?.findLast((message) => roleOf(message) === "user" && findText(message) !== undefined);
  const instructions = messages?.find((message) => INSTRUCTING.has(roleOf(message) ?? ""));
  return {
    model: findFirst(json, MODEL_NAMES, findText) ?? /\/models?\/([^/:?]+)/.exec(path)?.[1],
    lastUser: user === undefined ? findFirst(json, PROMPT_NAMES, findText) : findText(user),
    system: findFirst(json, SYSTEM_NAMES, findText) ?? findText(instructions),
  };
}

/** Returns the first result of `read` for the members with these names. */
function findFirst<R>(
  json: unknown,
  names: readonly string[],
  read: (value: unknown) => R | undefined,
): R | undefined {
  const fields = listMembers(json);
  for (const name of names) {
    const found = read(fields[name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function roleOf(message: unknown): string | undefined {
  const { role } = listMembers(message);
  return typeof role === "string" ? role : undefined;
}

/** Paths to the turns of a conversation in the bodies of different protocols. */
const LISTS = [["messages"], ["input"], ["contents"], ["input", "messages"]] as const;
const ANSWERING: ReadonlySet<unknown> = new Set(["assistant", "model", "tool", "function"]);

/** Whether two conversations begin with the same turns, among them an answer or the result of a tool. */
function areContinuations(recorded: JsonTree, asked: JsonTree): boolean {
  return LISTS.some((way) => {
    const [before = [], now = []] = [listAt(recorded, way), listAt(asked, way)];
    for (const [index, turn] of now.entries()) {
      const old = before[index];
      if (old === undefined || writeCanonicalJson(old) !== writeCanonicalJson(turn)) return false;
      // Items of the responses protocol that are no messages are known by their type.
      const [role, type] = [getMember(turn, "role"), getMember(turn, "type")];
      if (ANSWERING.has(role) || type === "function_call_output") return true;
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

/** The share of words that two texts about the same thing have in common; measured in docs/decisions/008. */
const ALIKE = 0.6;
/** Of two words, one can change. */
const ALIKE_OF_TWO = 0.5;

/**
 * Whether a recorded request is about the same as a missed one: even the most similar one may share only the model and
 * a system prompt that all have. A conversation that departs late from the recorded one is about the same.
 */
export function isNear(recorded: KeyedRequest, request: KeyedRequest): boolean {
  const [before, now] = [treeOf(recorded), treeOf(request)];
  if (before === undefined || now === undefined) return true; // files: only their names and sizes could be compared
  if (areContinuations(before, now)) return true;
  const texts = [
    readGist(recorded.path, plainJson(before)).lastUser,
    readGist(request.path, plainJson(now)).lastUser,
  ] as const;
  const [one, other] =
    texts[0] === undefined || texts[1] === undefined ? [textsIn(before), textsIn(now)] : texts;
  return one === other || shareWords(one ?? "", other ?? "");
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
 * Whether two texts share most of their words, or have none. Words with digits count only where that makes the texts more
 * alike: in a short text, an id or a date may be most of its words.
 */
const shareWords = (one: string, other: string): boolean =>
  areAlike(one, other, () => true) !== false || areAlike(one, other, isPlainWord) === true;

const isPlainWord = (word: string): boolean => !/\d/.test(word);

/** Undefined where there are no words. */
function areAlike(one: string, other: string, counts: (word: string) => boolean): boolean | undefined {
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
  return all === 0 ? undefined : (2 * common) / all >= (all <= 4 ? ALIKE_OF_TWO : ALIKE);
}
