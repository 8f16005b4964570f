import { isToolCall, isToolCallPart, thinkPart, textPart, toolCallPart } from "./parts.ts";
import type { ContentPart, StreamedMessagePart, ThinkPart, ToolCall } from "./parts.ts";

/** Both parts as one, or undefined where `other` is not taken in. Neither is changed. */
export function merged(
  into: StreamedMessagePart,
  other: StreamedMessagePart,
): StreamedMessagePart | undefined {
  if (isToolCallPart(into))
    return isToolCallPart(other)
      ? toolCallPart(appended(into.arguments_part, other.arguments_part))
      : undefined;
  if (isToolCall(into)) return isToolCallPart(other) ? withArguments(into, other.arguments_part) : undefined;
  return isToolCallPart(other) || isToolCall(other) ? undefined : mergedContent(into, other);
}

/** As `merged`, but changes `into`, which must be the caller's own copy; answers whether `other` was taken in. */
export function mergeInPlace(into: StreamedMessagePart, other: StreamedMessagePart): boolean {
  const joined = merged(into, other);
  if (joined !== undefined) Object.assign(into, joined);
  return joined !== undefined;
}

function mergedContent(into: ContentPart, other: ContentPart): ContentPart | undefined {
  if (into.type === "text" && other.type === "text") return textPart(into.text + other.text);
  return into.type === "think" && other.type === "think" ? mergedThought(into, other) : undefined;
}

/** A signature closes a thought: what comes after it is another one. */
function mergedThought(into: ThinkPart, other: ThinkPart): ThinkPart | undefined {
  if (into.encrypted) return undefined;
  return thinkPart(into.think + other.think, other.encrypted ? other.encrypted : into.encrypted);
}

function withArguments(call: ToolCall, piece: string | null): ToolCall {
  return { ...call, function: { ...call.function, arguments: appended(call.function.arguments, piece) } };
}

function appended(known: string | null, piece: string | null): string | null {
  return known === null ? piece : known + (piece ?? "");
}
