import { localize } from "../base/localize.ts";
import type { ConversationMessage, ConversationPart } from "../protocol/base/protocol.ts";
import type { DocumentWriter, LinkTarget } from "./rendered-document.ts";

/** Tool calls of a conversation by their id, so that a result can be shown with its call. */
export type ToolCalls = ReadonlyMap<string, string>;

type PartOf<T extends ConversationPart["type"]> = Extract<ConversationPart, { type: T }>;

/** Maximum characters of a call and its result on one line. */
const SHORT = 100;

export function listToolCalls(messages: readonly ConversationMessage[]): ToolCalls {
  const calls = new Map<string, string>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === "tool-call" && part.id !== undefined) calls.set(part.id, callText(part));
  }
  return calls;
}

/** Writes a message as one section, and each range of thinking in it as a separate folded section. */
export function writeMessage(
  writer: DocumentWriter,
  message: ConversationMessage,
  options: {
    readonly calls: ToolCalls;
    readonly title?: string;
    readonly facts?: string | undefined;
    /** The link target of the title. */
    readonly target?: LinkTarget | undefined;
  },
): void {
  const ranges = thoughtsApart(message.parts);
  // Facts are shown with the answer, or with the thinking if the message has no other parts.
  const carrier = Math.max(
    0,
    ranges.findIndex((range) => !range.thinking),
  );
  for (const [index, range] of ranges.entries()) {
    const title = options.title ?? localize(message.role);
    writer.section(range.thinking ? localize("{0}, thinking", title) : title, {
      facts: index === carrier ? options.facts : undefined,
      folded: range.thinking,
      target: options.target,
    });
    if (range.parts.length === 0) writer.line(localize("(empty)"));
    for (const part of range.parts) writePart(writer, part, options.calls);
  }
}

/** Returns the text of a message, including its tool calls and tool results. */
export function formatMessage(message: ConversationMessage | undefined): string {
  const texts = message?.parts.map((part) => {
    if (part.type === "tool-call") return `${part.name}(${part.arguments})`;
    return part.type === "text" || part.type === "tool-result" ? part.text : "";
  });
  return texts?.filter((text) => text !== "").join("\n") ?? "";
}

interface PartRange {
  readonly thinking: boolean;
  readonly parts: ConversationPart[];
}

function thoughtsApart(parts: readonly ConversationPart[]): readonly PartRange[] {
  const ranges: PartRange[] = [];
  for (const part of parts) {
    const thinking = part.type === "thinking";
    const last = ranges.at(-1);
    if (last?.thinking === thinking) last.parts.push(part);
    else ranges.push({ thinking, parts: [part] });
  }
  return ranges.length > 0 ? ranges : [{ thinking: false, parts: [] }];
}

function writePart(writer: DocumentWriter, part: ConversationPart, calls: ToolCalls): void {
  switch (part.type) {
    case "text":
    case "thinking":
      return writer.block(part.text === "" ? localize("(empty)") : part.text);
    case "tool-call":
      return writer.block(callText(part));
    case "tool-result":
      return writer.block(resultText(part, calls));
    case "media":
      return writeMedia(writer, part);
    case "other":
      writer.line(`[${part.description}]`);
      if (part.text !== "") writer.block(part.text);
  }
}

function callText(part: PartOf<"tool-call">): string {
  return `${part.name}(${onOneLine(part.arguments)})`;
}

function resultText(part: PartOf<"tool-result">, calls: ToolCalls): string {
  const call = part.id === undefined ? undefined : calls.get(part.id);
  const result = part.text === "" ? localize("(empty)") : part.text;
  if (call === undefined) return `→ ${result}`;
  const isShort = call.length + result.length <= SHORT && !/[\r\n]/.test(result);
  return isShort ? `${call} → ${result}` : `${call}\n→ ${result}`;
}

function writeMedia(writer: DocumentWriter, part: PartOf<"media">): void {
  const text = `[${part.media}${part.description === "" ? "" : `: ${part.description}`}]`;
  const canOpen = part.url !== undefined && /^(?:https?|data):/i.test(part.url);
  writer.line(canOpen && part.url !== undefined ? { text, target: { kind: "url", url: part.url } } : text);
}

/** Removes the whitespace between JSON tokens. Digits, order, and strings stay unchanged. */
function onOneLine(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_whole, string: string | undefined) => string ?? "");
}
