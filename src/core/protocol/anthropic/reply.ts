import {
  readCount,
  readFields,
  isFields,
  stringifyJson,
  readList,
  readText,
  writeTextOrJson,
  type Fields,
} from "../../base/lenient.ts";
import { type EventReader, type ReplyEvent, type WireFamily } from "../base/events.ts";
import { createCitationParts, createOtherPart } from "../base/parts.ts";
import { readBlockParts } from "./blocks.ts";

/** Anthropic's messages. */
export const MESSAGES_FAMILY: WireFamily = {
  usage: "anthropic",
  reader: createMessageReader,
  chunksOf,
  counted: { all: /"type":\s*"(?:message_start|message_delta|fallback)"/ },
};

/** Splits a whole message into the events of its stream. */
function chunksOf(message: Fields): readonly Fields[] | undefined {
  const error = message["error"] ?? (message["type"] === "error" ? message : undefined);
  if (error) return [{ type: "error", error }];
  const { content, stop_reason } = message;
  if (!Array.isArray(content)) return undefined;
  return [
    { type: "message_start", message },
    ...content.map((content_block: unknown, index) => ({
      type: "content_block_start",
      index,
      content_block,
    })),
    { type: "message_delta", delta: { stop_reason } },
  ];
}

/** State of the message that is being read. Only a joined stream contains more than one message. */
interface ReaderState {
  choice: number;
  usage: Fields;
  /** Calls by the index of their block, with their kind and whether arguments arrived. */
  readonly calls: Map<number, { readonly kind: string | undefined; came: boolean }>;
  readonly citations: Map<number, readonly unknown[]>;
  readonly compacted: Map<number, string>;
}

/** Source: docs.anthropic.com/en/docs/build-with-claude/streaming, 2026-11. */
function createMessageReader(): EventReader {
  const noMessage = { choice: -1, usage: {}, calls: new Map(), citations: new Map(), compacted: new Map() };
  const open: ReaderState = noMessage;
  // A call of a tool without parameters has no arguments here; other providers send an empty object.
  const bareCalls = (): readonly ReplyEvent[] => {
    const bare = [...open.calls].filter(([, { came }]) => !came);
    open.calls.clear();
    const choice = Math.max(open.choice, 0);
    return bare.map(([index, { kind }]) => ({ type: "call", choice, index, kind, arguments: "{}" }));
  };
  return {
    end: bareCalls,
    read(event, name) {
      // Gateways report their own failures in a frame without a type.
      const type = name ?? event["type"] ?? (event["error"] ? "error" : undefined);
      if (type === "error") return [{ type, error: event["error"] ?? stringifyJson(event) }];
      if (event["type"] === "message_start") {
        const before = bareCalls();
        open.choice += 1;
        return [...before, ...startEvents(readFields(event["message"]), open)];
      }
      const events = blockEvents(event, open);
      return events.map((one) =>
        one.type === "finish" ? one : { ...one, choice: Math.max(open.choice, 0) },
      );
    },
  };
}

function startEvents(message: Fields, open: ReaderState): readonly ReplyEvent[] {
  open.usage = readFields(message["usage"]);
  return [
    { type: "start", id: readText(message["id"]), model: readText(message["model"]) },
    { type: "message", choice: open.choice, role: readText(message["role"]) },
    { type: "usage", usage: open.usage },
  ];
}

function blockEvents(event: Fields, open: ReaderState): readonly ReplyEvent[] {
  const index = readCount(event["index"]) ?? 0;
  if (event["type"] === "content_block_start")
    return blockStart(readFields(event["content_block"]), index, open);
  const delta = readFields(event["delta"]);
  if (event["type"] === "content_block_delta") return deltaEvents(delta, index, open);
  if (event["type"] !== "message_delta") return [];
  // Counts at the end are totals. For a missing or null count, the one from the start applies.
  const counts = Object.entries(readFields(event["usage"])).filter(([, count]) => count !== null);
  open.usage = { ...open.usage, ...Object.fromEntries(counts) };
  const reason = readText(delta["stop_reason"]);
  return [
    { type: "usage", usage: open.usage },
    ...(reason === undefined ? [] : [{ type: "finish" as const, reason }]),
  ];
}

function blockStart(block: Fields, index: number, open: ReaderState): readonly ReplyEvent[] {
  const type = readText(block["type"]) ?? "";
  if (type === "text" && typeof block["text"] === "string") {
    const cites = readList(block["citations"]).flatMap((one) => citationEvents(one, index, open));
    return [{ type, index, text: block["text"] }, ...cites];
  }
  if (type === "thinking")
    return [
      { type, index, text: readText(block["thinking"]) ?? "", signature: readText(block["signature"]) },
    ];
  if (type.endsWith("tool_use")) {
    const { input } = block;
    const isEmpty =
      input === undefined || input === null || (isFields(input) && Object.keys(input).length === 0);
    const given = isEmpty ? "" : writeTextOrJson(input);
    const kind = type === "tool_use" ? undefined : type;
    open.calls.set(index, { kind, came: given !== "" });
    return [
      {
        type: "call",
        index,
        kind,
        id: readText(block["id"]),
        name: readText(block["name"]),
        arguments: given,
      },
    ];
  }
  const part: ReplyEvent = { type: "part", index, parts: readBlockParts(block), raw: block };
  // After a fallback another model writes the message.
  const model = type === "fallback" ? readText(readFields(block["to"])["model"]) : undefined;
  return model === undefined ? [part] : [{ type: "start", model }, part];
}

function deltaEvents(delta: Fields, index: number, open: ReaderState): readonly ReplyEvent[] {
  const [text, thinking, signature, json, content] = [
    "text",
    "thinking",
    "signature",
    "partial_json",
    "content",
  ].map((name) => readText(delta[name]));
  switch (delta["type"]) {
    case "text_delta":
      return text === undefined ? [] : [{ type: "text", index, text }];
    case "thinking_delta":
      return thinking === undefined ? [] : [{ type: "thinking", index, text: thinking }];
    case "signature_delta":
      return signature === undefined ? [] : [{ type: "thinking", index, text: "", signature }];
    case "input_json_delta":
      return json === undefined ? [] : argumentEvents(json, index, open);
    case "citations_delta":
      return citationEvents(delta["citation"], index, open);
    case "compaction_delta": {
      const whole = (open.compacted.get(index) ?? "") + (content ?? "");
      open.compacted.set(index, whole);
      return [{ type: "part", index, parts: [createOtherPart("compaction", whole)], raw: delta }];
    }
    default:
      return [];
  }
}

function argumentEvents(json: string, index: number, { calls }: ReaderState): readonly ReplyEvent[] {
  const call = calls.get(index);
  if (call === undefined) return [];
  call.came = true;
  return [{ type: "call", index, kind: call.kind, arguments: json }];
}

/** Emits the citations of a block as a part after its text. */
function citationEvents(citation: unknown, index: number, { citations }: ReaderState): readonly ReplyEvent[] {
  const all = [...(citations.get(index) ?? []), citation];
  citations.set(index, all);
  return [{ type: "part", index: index + 0.5, parts: createCitationParts(all), raw: all }];
}
