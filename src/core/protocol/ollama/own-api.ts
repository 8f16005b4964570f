import { getMember, type JsonObject } from "../../base/json/json-tree.ts";
import { composeJson, composeLines, composeFinish, splitDraft, composeUsage } from "../base/composed.ts";
import type {
  ComposedReply,
  Conversation,
  ConversationPart,
  ReplyDraft,
  RequestFacts,
} from "../base/protocol.ts";
import type { ReplyEvent, WireFamily } from "../base/events.ts";
import { readFields, stringifyJson, readList, readText, type Fields } from "../../base/lenient.ts";
import { createMedia } from "../base/media.ts";
import { createOtherPart, readContentParts, createTextPart } from "../base/parts.ts";
import { createFacts, getText } from "../base/operation.ts";
import { listSettings } from "../base/settings.ts";

/** Reads the facts of a request. Ollama streams unless `stream` is false. */
export function createOllamaFacts(body: JsonObject, label: string): RequestFacts {
  return { ...createFacts(body, label), streaming: streams(body) };
}

const streams = (body: JsonObject): boolean => getMember(body, "stream") !== false;

/** Lists the members of `options` with the other settings, as for other providers. */
export function createOllamaSettings(
  ...shown: readonly string[]
): (body: JsonObject) => Conversation["settings"] {
  return (body) => [
    ...listSettings(body, [...shown, "model", "stream", "options"]),
    ...listSettings(getMember(body, "options")),
  ];
}

/**
 * Reads replies of Ollama's own API: one JSON object, or a stream with one object of the same shape per line.
 * The last object has `done: true` and the counts. `messageIn` finds the message in a chunk.
 * Source: github.com/ollama/ollama/blob/main/docs/api.md, 2026-11.
 */
export function createOllamaFamily(messageIn: (chunk: Fields) => Fields): WireFamily {
  return {
    usage: "ollama",
    reader() {
      let calls = 0;
      return {
        read(chunk) {
          if (chunk["error"]) return [{ type: "error", error: errorOf(chunk) }];
          const message = messageIn(chunk);
          const called = readList(message["tool_calls"]).map((call) =>
            callEvent(call, PLACE.calls + calls++),
          );
          const { message: _said, ...counts } = chunk;
          const isDone = chunk["done"] === true;
          const reason = readText(chunk["done_reason"]);
          return [
            { type: "start", model: readText(chunk["model"]) },
            { type: "message", role: "assistant" },
            ...contentEvents(message),
            ...called,
            ...(isDone ? [{ type: "usage" as const, usage: counts }] : []),
            ...(reason === undefined ? [] : [{ type: "finish" as const, reason, ...(!isDone && VIEW) }]),
            ...(isDone && reason === undefined
              ? [{ type: "finish" as const, reason: "stop", ...STREAM }]
              : []),
          ];
        },
      };
    },
    chunksOf(fields) {
      const isReply =
        fields["error"] || fields["done"] !== undefined || contentEvents(messageIn(fields)).length > 0;
      return isReply || readList(messageIn(fields)["tool_calls"]).length > 0 ? [fields] : undefined;
    },
  };
}

const VIEW = { only: "view" } as const;
const STREAM = { only: "stream" } as const;

const PLACE = { thinking: 0, text: 1, media: 1.5, calls: 2 };

function contentEvents(message: Fields): readonly ReplyEvent[] {
  const thinking = readText(message["thinking"]);
  const content = readText(message["content"]);
  const media = [
    ...(content === undefined ? readContentParts(message["content"], readOllamaPart) : []),
    ...readPictureParts(message["images"]),
  ];
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking" as const, index: PLACE.thinking, text: thinking }]),
    ...(content === undefined ? [] : [{ type: "text" as const, index: PLACE.text, text: content }]),
    ...(media.length === 0
      ? []
      : [{ type: "part" as const, index: PLACE.media, parts: media, raw: message }]),
  ];
}

/** Reads a call. Its arguments are a value, or a string from some servers. */
function callEvent(value: unknown, index: number): ReplyEvent {
  const call = readFields(value);
  const { name, arguments: given } = readFields(call["function"]);
  const text = typeof given === "string" ? given : stringifyJson(readFields(given));
  return { type: "call", index, id: readText(call["id"]), name: readText(name) ?? "", arguments: text };
}

/** Reads the images of a request: base64 in any format. */
export function readPictureParts(images: unknown): ConversationPart[] {
  return readList(images).map((image) =>
    typeof image === "string"
      ? createMedia("image", "image", image)
      : createOtherPart("image", stringifyJson(image)),
  );
}

export function readOllamaPart(part: unknown): ConversationPart {
  const { type, text } = readFields(part);
  return type === "text" && typeof text === "string"
    ? createTextPart(text)
    : createOtherPart(readText(type) ?? "content", stringifyJson(part));
}

/** Returns the error text, with its code if there is one. */
function errorOf({ error, code }: Fields): unknown {
  return typeof error === "string" && typeof code === "string" ? { message: error, code } : error;
}

const FINISHED = { stop: "stop", length: "length", "content-filter": "stop", "tool-calls": "stop" };

function endOf(draft: ReplyDraft): object {
  const { input, output } = composeUsage(draft);
  const counts = { total_duration: 0, prompt_eval_count: input, eval_count: output };
  return { done: true, done_reason: composeFinish(draft, FINISHED), ...counts };
}

/**
 * Makes a composer of replies. The last chunk has `done`. `messageFor` puts a text, and the other content of a draft,
 * into the operation's member.
 */
export function createOllamaComposer(
  messageFor: (text: string, draft?: ReplyDraft) => object,
): (draft: ReplyDraft, body: JsonObject) => ComposedReply {
  return (draft, body) => {
    const head = { model: getText(body, "model") ?? "", created_at: "1970-01-01T00:00:00Z" };
    if (!streams(body)) return composeJson({ ...head, ...messageFor(draft.text, draft), ...endOf(draft) });
    const lines = splitDraft(draft).map((piece) => ({ ...head, ...messageFor(piece), done: false }));
    return composeLines(
      [...lines, { ...head, ...messageFor("", draft), ...endOf(draft) }],
      "application/x-ndjson",
    );
  };
}
