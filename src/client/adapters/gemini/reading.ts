import { GEMINI_FAMILY } from "../../../core/protocol/gemini/reply.ts";
import { readCount, readFields, readText, type Fields } from "../../../core/base/lenient.ts";
import { type FinishReason, usage, type Usage } from "../../reply.ts";
import { callPiece, createInlineMedia, createMediaPiece, readPieces, type Folding } from "../fold.ts";

export function foldGemini(): Folding {
  let calls = 0;
  return {
    family: GEMINI_FAMILY,
    whole: ({ candidates, ...rest }) =>
      Array.isArray(candidates) && candidates.length > 0 ? { candidates, ...rest } : rest,
    name: "Gemini",
    provider: "gemini",
    unit: "a candidate",
    reasonOf: (raw, state) => reasonOf(raw, state.calls),
    usageOf,
    pieces(event) {
      if (event.type === "call") {
        calls += 1;
        const text = JSON.stringify(readFields(JSON.parse(event.arguments ?? "{}")));
        return [callPiece({ ...event, id: event.id ?? `call_${calls - 1}`, arguments: text })];
      }
      if (event.type !== "part") return readPieces(event);
      const { inlineData, thoughtSignature, thought } = readFields(event.raw);
      const [type, data] = ["mimeType", "data"].map((name) => readText(readFields(inlineData)[name]));
      const signature = readText(thoughtSignature);
      if (type === undefined || data === undefined)
        return readPieces({
          type: thought === true ? "thinking" : "text",
          index: event.index,
          text: "",
          signature,
        });
      const extras = signature === undefined ? {} : { extras: { gemini: { thoughtSignature: signature } } };
      return [createMediaPiece(event, { ...createInlineMedia(type, data), ...extras })];
    },
  };
}

/** Converts the counts. The prompt includes cached tokens; thinking is counted apart from the answer. */
function usageOf(raw: Fields): Usage {
  const count = (name: string): number => readCount(raw[name]) ?? 0;
  const prompt = count("promptTokenCount");
  const reasoningTokens = count("thoughtsTokenCount");
  const cacheReadTokens = count("cachedContentTokenCount");
  const answer = readCount(raw["candidatesTokenCount"]);
  const left = Math.max(0, count("totalTokenCount") - prompt - count("toolUsePromptTokenCount"));
  return usage({
    uncachedInputTokens: Math.max(0, prompt - cacheReadTokens) + count("toolUsePromptTokenCount"),
    cacheReadTokens,
    outputTokens: answer === undefined && reasoningTokens === 0 ? left : (answer ?? 0) + reasoningTokens,
    reasoningTokens,
    raw,
  });
}

function reasonOf(finish: string, calls: number): FinishReason {
  if (finish === "STOP") return calls > 0 ? "tool-calls" : "stop";
  if (finish === "MAX_TOKENS") return "length";
  if (finish === "MALFORMED_FUNCTION_CALL" || finish === "UNEXPECTED_TOOL_CALL") return "error";
  return FILTERED.has(finish) ? "content-filter" : "other";
}

/** Source: ai.google.dev/api/generate-content, FinishReason and BlockReason, 2026-11. */
const FILTERED = new Set(
  "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII LANGUAGE IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION OTHER BLOCK_REASON_UNSPECIFIED".split(
    " ",
  ),
);
