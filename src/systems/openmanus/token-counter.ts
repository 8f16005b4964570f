import { expectNameIn, expectText, loadPeer } from "../../client/check-options.ts";
import { readFields, readList, readString } from "../../core/base/lenient.ts";
import { invalid } from "../../client/errors.ts";
import { writePythonRepr } from "../../client/python/write.ts";

/** OpenManus's estimate of a request's tokens. */
export const TOKENS = {
  perMessage: 4,
  perRequest: 2,
  lowDetailImage: 85,
  imageTile: 170,
  /** Tokens of a picture of unknown size. */
  unknownImage: 1024,
} as const;

const MAX_SIDE = 2048;
const SHORT_SIDE = 768;
const TILE_SIDE = 512;

export interface TokenCounter {
  readonly countText: CountText;
  /** Counts a picture by its part `{detail?, dimensions?, image_url?}`. */
  countImage(part: unknown): number;
  countContent(content: unknown): number;
  countToolCalls(calls: unknown): number;
  countMessageTokens(messages: readonly unknown[]): number;
  /** Counts a tool: as "python" by Python's text of it, or as "json" by the sent text. */
  countTool(tool: unknown, as?: "python" | "json"): number;
}

export function createTokenCounter(count: CountText): TokenCounter {
  const countText: CountText = (text) => (text === "" ? 0 : count(text));
  const optional = (text: unknown): number => countText(readString(text) ?? "");

  const countPart = (part: unknown): number => {
    if (typeof part === "string") return countText(part);
    const { text, image_url: image } = readFields(part);
    if (text !== undefined) return optional(text);
    return image === undefined ? 0 : countImage(part);
  };
  const countContent = (content: unknown): number =>
    typeof content === "string"
      ? countText(content)
      : readList(content).reduce<number>((sum, part) => sum + countPart(part), 0);
  const countToolCalls = (calls: unknown): number =>
    readList(calls).reduce<number>((sum, call) => {
      const { name, arguments: args } = readFields(readFields(call)["function"]);
      return sum + optional(name) + optional(args);
    }, 0);
  const countMessage = (message: unknown): number => {
    const { role, content, tool_calls: calls, name, tool_call_id: id } = readFields(message);
    const texts = optional(role) + optional(name) + optional(id);
    return TOKENS.perMessage + texts + countContent(content) + countToolCalls(calls);
  };

  return {
    countText,
    countImage,
    countContent,
    countToolCalls,
    countMessageTokens: (messages) =>
      messages.reduce<number>((sum, message) => sum + countMessage(message), TOKENS.perRequest),
    countTool: (tool, as = "python") =>
      countText(as === "python" ? writePythonRepr(tool, "the tool") : JSON.stringify(tool)),
  };
}

/** `detail` and `dimensions` of the part override those inside its `image_url`. */
function countImage(part: unknown): number {
  const fields = readFields(part);
  const inner = readFields(fields["image_url"]);
  const detail = "detail" in fields ? fields["detail"] : "detail" in inner ? inner["detail"] : "medium";
  if (detail === "low") return TOKENS.lowDetailImage;
  if (detail !== "high" && detail !== "medium") return TOKENS.unknownImage;
  const size = sizeOf(fields["dimensions"] ?? inner["dimensions"]);
  if (size !== undefined) return highDetailTokens(...size);
  return detail === "high" ? highDetailTokens(1, 1) : TOKENS.unknownImage;
}

/** @throws ChatError "validation" for invalid side lengths */
function sizeOf(dimensions: unknown): readonly [number, number] | undefined {
  const { width, height } = readFields(dimensions);
  const [w, h]: readonly unknown[] = Array.isArray(dimensions) ? dimensions : [width, height];
  if (w === undefined && h === undefined) return undefined;
  if (isLength(w) && isLength(h)) return [w, h];
  throw invalid("dimensions", `must be two lengths in pixels, not ${JSON.stringify(dimensions)}`);
}

const isLength = (side: unknown): side is number => Number.isFinite(side) && Number(side) >= 0;

/** A picture in tiles after it was made to fit 2048, then scaled to a short side of 768. A side is never below 1 pixel. */
export function highDetailTokens(width: number, height: number): number {
  let [w, h] = [Math.max(1, width), Math.max(1, height)];
  if (w > MAX_SIDE || h > MAX_SIDE) [w, h] = scaleSize(w, h, MAX_SIDE / Math.max(w, h));
  [w, h] = scaleSize(w, h, SHORT_SIDE / Math.min(w, h));
  return Math.ceil(w / TILE_SIDE) * Math.ceil(h / TILE_SIDE) * TOKENS.imageTile + TOKENS.lowDetailImage;
}

function scaleSize(width: number, height: number, scale: number): readonly [number, number] {
  return [Math.max(1, Math.trunc(width * scale)), Math.max(1, Math.trunc(height * scale))];
}

export type CountText = (text: string) => number;

export type EncodingName =
  | "o200k_base"
  | "o200k_harmony"
  | "cl100k_base"
  | "p50k_base"
  | "p50k_edit"
  | "r50k_base"
  | "gpt2";

/** Models with another encoding than cl100k_base. Exact names come first. Source: tiktoken's model table, 2026-11. */
const EXACT: Readonly<Record<string, EncodingName>> = table({
  o200k_base: "o1 o3 o4-mini gpt-5 gpt-4.1 gpt-4o",
  p50k_base:
    "text-davinci-003 text-davinci-002 code-davinci-002 code-davinci-001 code-cushman-002 code-cushman-001 davinci-codex cushman-codex",
  p50k_edit: "text-davinci-edit-001 code-davinci-edit-001",
  r50k_base:
    "text-davinci-001 text-curie-001 text-babbage-001 text-ada-001 davinci curie babbage ada text-similarity-davinci-001 text-similarity-curie-001 text-similarity-babbage-001 text-similarity-ada-001 text-search-davinci-doc-001 text-search-curie-doc-001 text-search-babbage-doc-001 text-search-ada-doc-001 code-search-babbage-code-001 code-search-ada-code-001",
  gpt2: "gpt2 gpt-2",
});

/** Prefixes of such names. */
const PREFIXES: readonly (readonly [string, EncodingName])[] = Object.entries(
  table({
    o200k_base: "o1- o3- o4-mini- gpt-5 gpt-4.5- gpt-4.1- chatgpt-4o- gpt-4o- ft:gpt-4o",
    o200k_harmony: "gpt-oss-",
  }),
);

function table(names: Partial<Record<EncodingName, string>>): Record<string, EncodingName> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([encoding, listed]) =>
      listed.split(" ").map((name) => [name, encoding as EncodingName]),
    ),
  );
}

/** Returns the encoding of a model's tokens; cl100k_base for models that tiktoken does not know. */
export function encodingFor(model: string): EncodingName {
  expectText(model, "model");
  const exact = Object.hasOwn(EXACT, model) ? EXACT[model] : undefined;
  return exact ?? PREFIXES.find(([prefix]) => model.startsWith(prefix))?.[1] ?? "cl100k_base";
}

/** Loads an encoding's ranks, which are several megabytes, on demand. */
const RANKS = {
  o200k_base: () => import("gpt-tokenizer/bpeRanks/o200k_base"),
  cl100k_base: () => import("gpt-tokenizer/bpeRanks/cl100k_base"),
  p50k_base: () => import("gpt-tokenizer/bpeRanks/p50k_base"),
  r50k_base: () => import("gpt-tokenizer/bpeRanks/r50k_base"),
} as const;

const RANKS_OF: Readonly<Record<EncodingName, keyof typeof RANKS>> = {
  o200k_base: "o200k_base",
  o200k_harmony: "o200k_base",
  cl100k_base: "cl100k_base",
  p50k_base: "p50k_base",
  p50k_edit: "p50k_base",
  r50k_base: "r50k_base",
  gpt2: "r50k_base",
};

const loaded = new Map<EncodingName, Promise<CountText>>();

/** Loads an encoding's counter. Texts like `<|endoftext|>` count as ordinary text. Needs the package gpt-tokenizer. */
export async function loadEncoding(name: EncodingName): Promise<CountText> {
  expectNameIn(RANKS_OF, name, "encoding");
  const counter = loaded.get(name) ?? load(name);
  loaded.set(name, counter);
  return counter;
}

async function load(name: EncodingName): Promise<CountText> {
  const [{ getEncodingParams }, ranks] = await Promise.all([
    loadPeer(() => import("gpt-tokenizer/modelParams")),
    loadPeer((): Promise<{ default: Ranks }> => RANKS[RANKS_OF[name]]()),
  ]);
  const params = getEncodingParams(name, () => ranks.default);
  return countPairs(ranks.default, asTiktoken(params.tokenSplitRegex));
}

/**
 * In JavaScript, U+FEFF is a blank and U+0085 is not; tiktoken, which is Rust, does the opposite. A long s is an s
 * in patterns that ignore case.
 */
function asTiktoken({ source, flags }: RegExp): RegExp {
  const rust = source
    .replaceAll("\\s", "\\p{White_Space}")
    .replaceAll("\\S", "\\P{White_Space}")
    .replaceAll("[sS]", "[sSſ]");
  return new RegExp(rust, flags);
}

/** Ranks of tokens by text, or by bytes that are not a valid text. */
type Ranks = readonly (string | readonly number[])[];

/**
 * Counts a text's tokens as tiktoken: a pattern cuts it into pieces, and each piece is a token, or pairs of bytes
 * joined by rank. gpt-tokenizer's own counter ignores a byte order mark at the beginning of a pair.
 */
function countPairs(ranks: Ranks, pieces: RegExp): (text: string) => number {
  const rankOf = new Map<string, number>();
  // forEach skips ranks without a token.
  ranks.forEach((token, rank) =>
    rankOf.set(typeof token === "string" ? token : keyOf(Uint8Array.from(token)), rank),
  );
  const countPiece = (piece: string): number =>
    rankOf.has(piece)
      ? 1
      : countAfterJoining(new TextEncoder().encode(piece), (bytes) => rankOf.get(keyOf(bytes)));
  return (text) => (text.match(pieces) ?? []).reduce((sum, piece) => sum + countPiece(piece), 0);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the bytes as text; if they are not text, as numbers after a mark that no text begins with. */
function keyOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return `\ud800${bytes.join()}`;
  }
}

/** Joins the pair of the lowest rank repeatedly, and returns the number of remaining tokens. */
function countAfterJoining(bytes: Uint8Array, rankOf: (pair: Uint8Array) => number | undefined): number {
  const begins = Array.from(bytes, (_, at) => at);
  const rankAt = (at: number): number => {
    const [begin, end] = [begins[at], begins[at + 2] ?? bytes.length];
    return begin === undefined || at + 1 >= begins.length
      ? Number.POSITIVE_INFINITY
      : (rankOf(bytes.subarray(begin, end)) ?? Number.POSITIVE_INFINITY);
  };
  const ranks = begins.map((_, at) => rankAt(at));
  for (;;) {
    const lowest = lowestOf(ranks);
    if (lowest === undefined) return begins.length;
    begins.splice(lowest + 1, 1);
    ranks.splice(lowest + 1, 1);
    ranks[lowest] = rankAt(lowest);
    if (ranks[lowest - 1] !== undefined) ranks[lowest - 1] = rankAt(lowest - 1);
  }
}

/** Returns the first position of the lowest rank; undefined if no pair has a rank. */
function lowestOf(ranks: readonly number[]): number | undefined {
  let found: number | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  for (const [at, rank] of ranks.entries())
    if (rank < lowest) {
      lowest = rank;
      found = at;
    }
  return found;
}
