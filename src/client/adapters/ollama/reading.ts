import { OLLAMA_FAMILY } from "../../../core/protocol/ollama/chat.ts";
import type { ChatReply, FinishReason } from "../../reply.ts";
import { callPiece, foldEvents, foldReply, readPieces, type ChunkReader, type Folding } from "../fold.ts";

export const readOllamaReply = (raw: unknown): ChatReply => foldReply(OLLAMA_FAMILY, folding(), raw);
export const createOllamaChunkReader = (): ChunkReader => foldEvents(OLLAMA_FAMILY, folding());

/** Makes a folding that gives each call an ID from its number and name, because Ollama sends none. */
function folding(): Folding {
  let calls = 0;
  return {
    name: "Ollama",
    provider: "ollama",
    reasonOf: (raw, state) => reasonOf(raw, state.calls),
    pieces: (event) =>
      event.type === "call"
        ? [callPiece({ ...event, id: event.id ?? `${calls++}_${event.name}` })]
        : readPieces(event),
  };
}

function reasonOf(reason: string, calls: number): FinishReason {
  if (reason === "stop") return calls > 0 ? "tool-calls" : "stop";
  return reason === "length" ? "length" : "other";
}
