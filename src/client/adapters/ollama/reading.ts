import { OLLAMA_FAMILY } from "../../../core/protocol/ollama/chat.ts";
import type { FinishReason } from "../../reply.ts";
import { callPiece, readPieces, type Folding } from "../fold.ts";

/** Makes a folding that gives each call an ID from its number and name, because Ollama sends none. */
export function foldOllama(): Folding {
  let calls = 0;
  return {
    family: OLLAMA_FAMILY,
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
