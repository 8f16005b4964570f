import { CHAT_FAMILY, PLACE } from "../../../../core/protocol/openai/chat/reply.ts";
import type { AudioEvent, PartEvent } from "../../../../core/protocol/base/events.ts";
import { readFields, readList, readText } from "../../../../core/base/lenient.ts";
import { parseDataUrl } from "../../../media.ts";
import type { FinishReason, PartPiece } from "../../../reply.ts";
import type { ChatRequest } from "../../../request.ts";
import { callPiece, createMediaPiece, readTextPieces, type Folding } from "../../fold.ts";
import type { ChatFlavour } from "./request.ts";

/** Reads the first choice of a chat completion. */
export function foldChat(
  { settings }: ChatRequest,
  { name, provider }: ChatFlavour,
  form: "whole" | "stream",
): Folding {
  // Audio has the requested format.
  const mediaType = `audio/${readText(readFields(settings?.extra?.["audio"])["format"]) ?? "wav"}`;
  return {
    family: CHAT_FAMILY,
    whole({ choices, ...completion }) {
      const [any, ...others] = readList(choices);
      const first = [any, ...others].find((one) => (readFields(one)["index"] ?? 0) === 0) ?? any;
      return first === undefined
        ? completion
        : { ...completion, choices: [{ ...readFields(first), index: 0 }] };
    },
    name,
    provider,
    // Some servers send "stop" after a tool call.
    reasonOf(raw, { calls, refused }) {
      if (refused) return "content-filter";
      const reason = readChatFinish(raw);
      return reason === "stop" && calls > 0 ? "tool-calls" : reason;
    },
    pieces(event) {
      if (event.type === "audio") return audioPieces(event, mediaType, form === "whole");
      if (event.type === "part") return partPieces(event);
      if (event.type === "call")
        return event.kind === "old"
          ? []
          : [callPiece({ ...event, index: CALLS + event.index - PLACE.calls })];
      if (event.type !== "thinking") return readTextPieces({ ...event, index: TEXT });
      const extras = event.field === undefined ? {} : { extras: { openai: { field: event.field } } };
      return readTextPieces({ ...event, index: THINKING }).map((piece) => ({ ...piece, ...extras }));
    },
  };
}

/** Indexes of the parts of an answer: thinking, audio, text, images, then the tool calls by their own index. */
const [THINKING, AUDIO, TEXT, IMAGES, CALLS] = [0, 1, 2, 10, 1000] as const;

function audioPieces(
  { id, data, transcript }: AudioEvent,
  mediaType: string,
  whole: boolean,
): readonly PartPiece[] {
  if (data === undefined && transcript === undefined) return [];
  const spoken = transcript !== undefined && { transcript };
  if (!whole) return [{ type: "audio", index: AUDIO, data: data ?? "", mediaType, ...spoken }];
  const source = { kind: "base64" as const, mediaType, data: data ?? "" };
  const extras = id !== undefined && { extras: { openai: { id } } };
  return [createMediaPiece({ index: AUDIO }, { type: "audio", source, ...spoken, ...extras })];
}

/** Reads texts of an unknown type, calls without known fields, and OpenRouter's images. */
function partPieces({ raw, index }: PartEvent): readonly PartPiece[] {
  if (index >= PLACE.calls) return [callPiece({ type: "call", index: CALLS + index - PLACE.calls })];
  const text = index < PLACE.images ? readText(readFields(raw)["text"]) : undefined;
  if (text !== undefined) return [{ type: "text", index: TEXT, text }];
  const url = readText(readFields(readFields(raw)["image_url"])["url"]);
  if (url === undefined || index < PLACE.images) return [];
  const source = parseDataUrl(url) ?? { kind: "url" as const, url };
  return [createMediaPiece({ index: IMAGES + index - PLACE.images }, { type: "image", source })];
}

/** Source: platform.openai.com/docs/api-reference/chat/object, 2026-11. */
export const readChatFinish = (reason: string): FinishReason => FINISH[reason] ?? "other";

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  error: "error",
};
