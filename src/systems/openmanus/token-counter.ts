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

/** Loads an encoding, which is several megabytes, on demand. */
const ENCODINGS: Readonly<Record<EncodingName, () => Promise<Tokenizer>>> = {
  o200k_base: () => import("gpt-tokenizer/encoding/o200k_base"),
  o200k_harmony: () => import("gpt-tokenizer/encoding/o200k_harmony"),
  cl100k_base: () => import("gpt-tokenizer/encoding/cl100k_base"),
  p50k_base: () => import("gpt-tokenizer/encoding/p50k_base"),
  p50k_edit: () => import("gpt-tokenizer/encoding/p50k_edit"),
  r50k_base: () => import("gpt-tokenizer/encoding/r50k_base"),
  gpt2: () => import("gpt-tokenizer/encoding/gpt2"),
};

interface Tokenizer {
  readonly countTokens: (text: string, options: { readonly disallowedSpecial: Set<string> }) => number;
}

/** Loads an encoding's counter. Texts like `<|endoftext|>` count as ordinary text. Needs the package gpt-tokenizer. */
export async function loadEncoding(name: EncodingName): Promise<CountText> {
  expectNameIn(ENCODINGS, name, "encoding");
  const { countTokens } = await loadPeer(ENCODINGS[name]);
  return (text) => countTokens(text, { disallowedSpecial: new Set() });
}
