import { createMerger } from "../merge-pieces.ts";
import type { ChatReply } from "../reply.ts";
import type { ChunkReader } from "./adapter.ts";

/** A whole answer by way of its stream's reader: so both forms of an answer give the same reply. */
export function replyOf(reader: ChunkReader, chunks: readonly unknown[]): ChatReply {
  const merger = createMerger();
  for (const chunk of chunks) for (const event of reader.read(chunk)) merger.add(event);
  for (const event of reader.end()) merger.add(event);
  if (merger.finished) return merger.reply();
  merger.add({ type: "finish", reason: "other" });
  return merger.reply();
}
