import type { Surroundings } from "../../client/surroundings.ts";
import type { Fields } from "../../core/base/lenient.ts";

/** Blocks and responses have AgentScope's names, because they are serialized unchanged. */
export interface TextBlock {
  type: "text";
  text: string;
  /** Gemini's signature, base64. */
  thought_signature?: string;
}

export interface ThinkingBlock {
  type: "thinking";
  thinking: string;
  /** Anthropic's signature; empty until it arrives. */
  signature?: string;
}

export interface ToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: Fields;
  /** The model's JSON text; null before its first piece. */
  raw_input?: string | null;
  thought_signature?: string;
}

export interface AudioBlock {
  type: "audio";
  source: { type: "base64"; media_type: string; data: string };
}

export type Block = TextBlock | ThinkingBlock | ToolUseBlock | AudioBlock;

export interface ChatUsage {
  input_tokens: number;
  output_tokens: number;
  /** Seconds since just before the request. */
  time: number;
  type: "chat";
  /** The provider's counts. */
  metadata: Fields | null;
}

/** An answer, or its content so far: a plain object that callers can change. Missing members are undefined. */
export interface ChatResponse {
  content: Block[];
  id: string;
  /** `YYYY-MM-DD HH:MM:SS.mmm`, local time. */
  created_at: string;
  type: "chat";
  usage: ChatUsage | null;
  metadata: Fields | null;
  /** Only on the last response of a stream, which has all that is known: usage, signatures, metadata. */
  is_last?: true;
  [extra: string]: unknown;
}

/** A response with AgentScope's defaults: no content, a generated id, this moment. */
export function chatResponse(
  given: Partial<ChatResponse>,
  surroundings: Pick<Surroundings, "now" | "id">,
): ChatResponse {
  return {
    content: [],
    id: generatedId(surroundings),
    created_at: timestamp(surroundings.now()),
    type: "chat",
    usage: null,
    metadata: null,
    ...given,
  };
}

export function chatUsage(
  given: Partial<ChatUsage> & Pick<ChatUsage, "input_tokens" | "output_tokens" | "time">,
): ChatUsage {
  return { type: "chat", metadata: null, ...given };
}

/** `YYYY-MM-DD HH:MM:SS.mmm_` and six hex digits. */
export function generatedId(surroundings: Pick<Surroundings, "now" | "id">): string {
  return `${timestamp(surroundings.now())}_${surroundings.id().slice(0, 6)}`;
}

function timestamp(ms: number): string {
  const moment = new Date(ms);
  const date = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join("-");
  const time = [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(":");
  return `${date} ${time}.${String(moment.getMilliseconds()).padStart(3, "0")}`;
}

const two = (count: number): string => String(count).padStart(2, "0");
