import { requestObject } from "./check-request.ts";
import { chatError, type ChatError } from "./errors.ts";
import { type Message, type Part, type TextPart, type ThinkingPart, type ToolCallPart } from "./message.ts";
import { copyFrozen, showValue } from "./json/plain.ts";
import type {
  ChatReply,
  FinishReason,
  PartPiece,
  StreamEvent,
  TextPiece,
  ThinkingPiece,
  ToolCallPiece,
} from "./reply.ts";
import type { ChatRequest } from "./request.ts";
import { pickDefined } from "../core/base/pick-defined.ts";
import { sortPieces } from "../core/base/lenient.ts";

/** Joins the pieces of one stream. Returned values never change, even if more pieces are added. */
export interface Merger {
  /** Adds an event. @throws ChatError "unknown" for a piece of the wrong type, or after the end */
  add(event: StreamEvent): void;
  message(): Message;
  readonly finished: boolean;
  /** Returns the whole reply. @throws ChatError "connection" if the stream was cut, "unknown" for a call without a name */
  reply(): ChatReply;
}

/** Makes a merger, which follows the rules of `StreamEvent`. */
export function createMerger(): Merger {
  const parts = new Map<number, Part>();
  let head: Head = {};
  let events = 0;
  const message = (): Message => {
    return Object.freeze({ role: "assistant", parts: Object.freeze(sortPieces(parts)) });
  };
  return {
    message,
    get finished() {
      return head.finish !== undefined;
    },
    add(event) {
      events += 1;
      if (!isPiece(event)) {
        head = withHead(head, event);
        return;
      }
      if (head.finish !== undefined) throw misplaced(event, "came after the end of the answer");
      parts.set(indexOfPiece(event), Object.freeze(joinPiece(parts.get(event.index), event)));
    },
    reply() {
      const { finish, ...rest } = head;
      if (finish === undefined) throw cutStream(events);
      const nameless = [...parts.values()].some((part) => part.type === "tool-call" && part.name === "");
      if (nameless)
        throw chatError("unknown", "The answer calls a tool without a name.", { where: "stream" });
      return Object.freeze({
        message: message(),
        finishReason: finish.reason,
        ...pickDefined({ rawFinishReason: finish.rawReason }),
        ...rest,
      });
    },
  };
}

interface Head extends Pick<ChatReply, "id" | "model" | "usage"> {
  readonly finish?: { readonly reason: FinishReason; readonly rawReason?: string };
}

function withHead(head: Head, event: Exclude<StreamEvent, PartPiece>): Head {
  switch (event.type) {
    case "start": {
      const { id = head.id, model = head.model } = event;
      return { ...head, ...pickDefined({ id, model }) };
    }
    case "usage":
      return { ...head, usage: copyFrozen(event.usage) };
    case "finish":
      return { ...head, finish: event };
    default:
      throw chatError("unknown", `The stream has an event of an unknown type: ${showValue(event)}.`, {
        where: "stream",
      });
  }
}

const PIECES: ReadonlySet<string> = new Set(["text", "thinking", "media", "tool-call"]);

const isPiece = (event: StreamEvent): event is PartPiece => PIECES.has(event.type);

/** Makes the error for a stream without a finish event. */
function cutStream(events: number): ChatError {
  return chatError("connection", "The stream ended before the answer was finished.", {
    where: `after ${events} events`,
    hint: "Retry the call. Incomplete answers are discarded.",
  });
}

function indexOfPiece(piece: PartPiece): number {
  if (Number.isSafeInteger(piece.index) && piece.index >= 0) return piece.index;
  throw misplaced(piece, "has no place in the message");
}

function misplaced(piece: PartPiece, what: string): ChatError {
  return chatError("unknown", `A ${piece.type} piece of the stream ${what} (index ${piece.index}).`, {
    where: `stream index ${piece.index}`,
  });
}

function joinPiece(before: Part | undefined, piece: PartPiece): Part {
  switch (piece.type) {
    case "text":
    case "thinking":
      return joinedText(before, piece);
    case "tool-call":
      return joinedCall(before, piece);
    case "media":
      break;
  }
  if (before !== undefined) throw misplaced(piece, "has the index of another part");
  return copyFrozen(piece.part);
}

function joinedText(before: Part | undefined, piece: TextPiece | ThinkingPiece): TextPart | ThinkingPart {
  if (before !== undefined && before.type !== piece.type)
    throw misplaced(piece, `has the index of a ${before.type} part`);
  const known = before?.type === "text" || before?.type === "thinking" ? before : undefined;
  const signature = piece.signature ?? known?.signature;
  return {
    type: piece.type,
    text: (known?.text ?? "") + piece.text,
    ...pickDefined({ signature }),
    ...mergedExtras(before, piece),
  };
}

function joinedCall(before: Part | undefined, piece: ToolCallPiece): ToolCallPart {
  if (before !== undefined && before.type !== "tool-call")
    throw misplaced(piece, `has the index of a ${before.type} part`);
  const signature = piece.signature ?? before?.signature;
  return {
    type: "tool-call",
    id: before?.id || (piece.id ?? ""),
    name: before?.name || (piece.name ?? ""),
    arguments: (before?.arguments ?? "") + (piece.arguments ?? ""),
    ...pickDefined({ signature }),
    ...mergedExtras(before, piece),
  };
}

function mergedExtras(
  before: Part | undefined,
  piece: TextPiece | ThinkingPiece | ToolCallPiece,
): Pick<Part, "extras"> {
  if (piece.extras === undefined) return pickDefined({ extras: before?.extras });
  return { extras: copyFrozen({ ...before?.extras, ...piece.extras }) };
}

/** Reads a stream to its end and returns the whole reply. @throws ChatError "connection" if the stream was cut, and errors of the stream */
export async function collect(stream: AsyncIterable<StreamEvent>): Promise<ChatReply> {
  const merger = createMerger();
  for await (const event of stream) merger.add(event);
  return merger.reply();
}

/** Makes `complete` from `stream`, for clients that only stream. @throws ChatError like `collect` */
export function createCompleting(
  stream: (request: ChatRequest) => AsyncIterable<StreamEvent>,
): (request: ChatRequest) => Promise<ChatReply> {
  return async (request) => {
    requestObject(request);
    return collect(stream(request));
  };
}

/** Converts a reply to stream events, with one piece per part; `collect` restores it. */
export function replyEvents(reply: ChatReply): readonly StreamEvent[] {
  const { id, model, usage, finishReason, rawFinishReason } = reply;
  return [
    { type: "start", ...pickDefined({ id, model }) },
    ...reply.message.parts.map(createPartPiece),
    ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
    pickDefined({ type: "finish", reason: finishReason, rawReason: rawFinishReason }),
  ];
}

/** Converts a part to a single piece. @throws ChatError "validation" for a tool result, which a model cannot send */
export function createPartPiece(part: Part, index: number): PartPiece {
  if (part.type === "tool-result")
    throw chatError("validation", `reply.parts[${index}]: an answer cannot contain a tool result`, {
      where: `reply.parts[${index}]`,
    });
  if (part.type === "text" || part.type === "thinking" || part.type === "tool-call")
    return { ...part, index };
  return { type: "media", index, part };
}
