import { pickDefined } from "../../core/base/pick-defined.ts";
import type {
  ToolCallEvent,
  PartEvent,
  PieceEvent,
  ReplyEvent,
  TextEvent,
  WireFamily,
} from "../../core/protocol/base/events.ts";
import { readFields, isFields, readText, type Fields } from "../../core/base/lenient.ts";
import { readReportedUsage, readWrittenTokens, type UsageWire } from "../../core/protocol/base/usage.ts";
import { chatError, statusError, type ChatError } from "../errors.ts";
import { createMerger } from "../merge-pieces.ts";
import type { MediaPart } from "../message.ts";
import {
  usage as usageOf,
  type ChatReply,
  type FinishReason,
  type PartPiece,
  type StreamEvent,
  type Usage,
} from "../reply.ts";

/** Turns the chunks of one answer into the events of a `ChatClient`'s stream. */
interface ChunkReader {
  read(chunk: unknown): readonly StreamEvent[];
  /**
   * Returns the events held back until the end: the usage and the finish reason. Without a finish reason, the stream
   * was cut.
   */
  end(): readonly StreamEvent[];
}

/** The state of an answer so far: how many calls it has, and whether the model refused. */
export interface ReplyState {
  readonly calls: number;
  readonly refused: boolean;
}

/** How the events of a wire family become those of a `ChatClient`. */
export interface Folding {
  readonly family: WireFamily;
  /** For errors. */
  readonly provider: string;
  readonly name: string;
  /** The part that an empty answer lacks, for errors. Default "a choice". */
  readonly unit?: string;
  reasonOf(raw: string, said: ReplyState): FinishReason;
  /** Returns the pieces of an event. Default: `readPieces`. */
  pieces?(event: PieceEvent): readonly PartPiece[];
  /** Pieces that were held back until the end. */
  rest?(): readonly PartPiece[];
  usageOf?(raw: Fields): Usage | undefined;
  /** Prepares a whole answer, so that one without a choice has no chunks. */
  whole?(answer: Fields): Fields;
  /** Returns the error that an event reports. Default: `failureOf`. */
  fail?(error: unknown): ChatError;
}

/** Folds the events of the first choice of an answer. @throws ChatError where the answer reports that it failed. */
export function foldEvents(folding: Folding): ChunkReader {
  const { family } = folding;
  const reader = family.reader();
  const calls = new Set<number>();
  let started = false;
  let refused = false;
  let finish: string | undefined;
  let counts: Usage | undefined;
  const take = (event: ReplyEvent): readonly StreamEvent[] => {
    if (event.type === "error") throw folding.fail?.(event.error) ?? failureOf(event.error, folding);
    if (event.type === "usage")
      counts = folding.usageOf?.(event.usage) ?? readUsage(event.usage, family.usage) ?? counts;
    if (event.type === "start" && !started) {
      const start = { type: "start" as const, ...pickDefined({ id: event.id, model: event.model }) };
      started = event.begins === true || event.id !== undefined || event.model !== undefined;
      return started ? [start] : [];
    }
    if ("choice" in event && (event.choice ?? 0) !== 0) return [];
    if (event.type === "finish" && event.only !== "view") finish = event.reason;
    if (!("index" in event)) return [];
    refused ||= event.type === "refusal";
    const pieces = folding.pieces?.(event) ?? readPieces(event);
    for (const piece of pieces) if (piece.type === "tool-call") calls.add(piece.index);
    return pieces;
  };
  return {
    read: (chunk) => reader.read(readFields(chunk)).flatMap(take),
    end() {
      const rest = [...(reader.end?.() ?? []).flatMap(take), ...(folding.rest?.() ?? [])];
      const counted: StreamEvent[] = counts === undefined ? [] : [{ type: "usage", usage: counts }];
      if (finish === undefined) return [...rest, ...counted];
      const reason = folding.reasonOf(finish, { calls: calls.size, refused });
      return [...rest, ...counted, { type: "finish", reason, rawReason: finish }];
    },
  };
}

/** Folds a whole answer by its chunks, so that whole and streamed answers give the same reply. @throws ChatError "empty" */
export function foldReply(folding: Folding, raw: unknown): ChatReply {
  const answer = folding.whole?.(readFields(raw)) ?? readFields(raw);
  const chunks = folding.family.chunksOf(answer, { status: 200 }, raw);
  if (chunks === undefined || chunks.length === 0)
    throw chatError("empty", `${folding.name} answered without ${folding.unit ?? "a choice"}.`, {
      provider: folding.provider,
    });
  const reader = foldEvents(folding);
  const merger = createMerger();
  for (const chunk of chunks) for (const event of reader.read(chunk)) merger.add(event);
  for (const event of reader.end()) merger.add(event);
  if (!merger.finished) merger.add({ type: "finish", reason: "other" });
  return merger.reply();
}

/** Returns the pieces of an event that are the same in all families; none for parts of a single provider. */
export function readPieces(event: PieceEvent): readonly PartPiece[] {
  if (event.type === "call") return [callPiece(event)];
  if (event.type === "part" || event.type === "audio") return [];
  return readTextPieces(event);
}

export function readTextPieces({ type, index, text, signature }: TextEvent): readonly PartPiece[] {
  if (text === "" && signature === undefined) return [];
  return [{ type: type === "refusal" ? "text" : type, index, text, ...pickDefined({ signature }) }];
}

export function callPiece({ index, id, name, arguments: given, signature }: ToolCallEvent): PartPiece {
  return { type: "tool-call", index, ...pickDefined({ id, name, arguments: given, signature }) };
}

/** Makes a media part from base64. */
export function createInlineMedia(mediaType: string, data: string): MediaPart {
  const kind = (["image", "audio", "video"] as const).find((one) => mediaType.startsWith(`${one}/`));
  return { type: kind ?? "file", source: { kind: "base64", mediaType, data } };
}

export const createMediaPiece = ({ index }: Pick<PartEvent, "index">, part: MediaPart): PartPiece => ({
  type: "media",
  index,
  part,
});

/** Converts counts to the client's terms, in which the uncached input excludes tokens from a cache. */
export function readUsage(raw: Fields, wire: UsageWire): Usage | undefined {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } =
    readReportedUsage(raw, wire) ?? {};
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const cacheReadTokens = cachedInputTokens ?? 0;
  const cacheWriteTokens = readWrittenTokens(raw, wire) ?? 0;
  return usageOf({
    uncachedInputTokens: Math.max(0, (inputTokens ?? 0) - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: outputTokens ?? 0,
    reasoningTokens: reasoningTokens ?? 0,
    raw,
  });
}

/** Makes the error for a failure in an answer with status 200. */
function failureOf(error: unknown, { provider }: Folding): ChatError {
  const message = isFields(error) ? (readText(error["message"]) ?? JSON.stringify(error)) : String(error);
  const status = Number(readFields(error)["code"]);
  return Number.isInteger(status) && status >= 400
    ? statusError(status, message, { provider })
    : chatError("status", message, { provider });
}
