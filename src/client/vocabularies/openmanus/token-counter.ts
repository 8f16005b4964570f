import { invalid } from "../../errors.ts";
import { pythonRepr } from "../../python/repr.ts";
import { fieldsOf, listOf } from "../../../core/protocol/reading/lenient.ts";
import { stringIn } from "../../json/plain.ts";
import type { CountText } from "./encodings.ts";

/** What OpenManus takes a request to cost, in tokens. */
export const TOKENS = {
  perMessage: 4,
  perRequest: 2,
  lowDetailImage: 85,
  imageTile: 170,
  /** Where the size of a picture is not known. */
  unknownImage: 1024,
} as const;

const MAX_SIDE = 2048;
const SHORT_SIDE = 768;
const TILE_SIDE = 512;

export interface TokenCounter {
  readonly countText: CountText;
  /** A picture by its part `{detail?, dimensions?, image_url?}`. */
  countImage(part: unknown): number;
  countContent(content: unknown): number;
  countToolCalls(calls: unknown): number;
  /** A whole request's messages. */
  countMessageTokens(messages: readonly unknown[]): number;
  /** A tool, as "python" by the text that Python shows for it, or as "json" by what is sent. */
  countTool(tool: unknown, as?: "python" | "json"): number;
}

export function createTokenCounter(count: CountText): TokenCounter {
  const countText: CountText = (text) => (text === "" ? 0 : count(text));
  const optional = (text: unknown): number => countText(stringIn(text) ?? "");

  const countPart = (part: unknown): number => {
    if (typeof part === "string") return countText(part);
    const { text, image_url: image } = fieldsOf(part);
    if (text !== undefined) return optional(text);
    return image === undefined ? 0 : countImage(part);
  };
  const countContent = (content: unknown): number =>
    typeof content === "string"
      ? countText(content)
      : listOf(content).reduce<number>((sum, part) => sum + countPart(part), 0);
  const countToolCalls = (calls: unknown): number =>
    listOf(calls).reduce<number>((sum, call) => {
      const { name, arguments: args } = fieldsOf(fieldsOf(call)["function"]);
      return sum + optional(name) + optional(args);
    }, 0);
  const countMessage = (message: unknown): number => {
    const { role, content, tool_calls: calls, name, tool_call_id: id } = fieldsOf(message);
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
      countText(as === "python" ? pythonRepr(tool, "the tool") : JSON.stringify(tool)),
  };
}

/** The part's own `detail` and `dimensions` come before those inside its `image_url`. */
function countImage(part: unknown): number {
  const fields = fieldsOf(part);
  const inner = fieldsOf(fields["image_url"]);
  const detail = "detail" in fields ? fields["detail"] : "detail" in inner ? inner["detail"] : "medium";
  if (detail === "low") return TOKENS.lowDetailImage;
  if (detail !== "high" && detail !== "medium") return TOKENS.unknownImage;
  const size = sizeOf(fields["dimensions"] ?? inner["dimensions"]);
  if (size !== undefined) return highDetailTokens(...size);
  return detail === "high" ? highDetailTokens(1024, 1024) : TOKENS.unknownImage;
}

/** @throws ChatError "validation" for sides that are no lengths */
function sizeOf(dimensions: unknown): readonly [number, number] | undefined {
  if (dimensions === undefined || dimensions === null) return undefined;
  const { width, height } = fieldsOf(dimensions);
  const [w, h]: readonly unknown[] = Array.isArray(dimensions) ? dimensions : [width, height];
  if (w === undefined && h === undefined) return undefined;
  if (typeof w === "number" && typeof h === "number" && w >= 0 && h >= 0 && Number.isFinite(w + h))
    return [w, h];
  throw invalid("dimensions", `must be two lengths in pixels, not ${JSON.stringify(dimensions)}`);
}

/** A picture in tiles after it was made to fit 2048, then scaled to a short side of 768. A side is never below 1 pixel. */
export function highDetailTokens(width: number, height: number): number {
  let [w, h] = [Math.max(1, width), Math.max(1, height)];
  if (w > MAX_SIDE || h > MAX_SIDE) [w, h] = scaled(w, h, MAX_SIDE / Math.max(w, h));
  [w, h] = scaled(w, h, SHORT_SIDE / Math.min(w, h));
  return Math.ceil(w / TILE_SIDE) * Math.ceil(h / TILE_SIDE) * TOKENS.imageTile + TOKENS.lowDetailImage;
}

function scaled(width: number, height: number, scale: number): readonly [number, number] {
  return [Math.max(1, Math.trunc(width * scale)), Math.max(1, Math.trunc(height * scale))];
}
