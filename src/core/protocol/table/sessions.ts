import {
  readFields,
  isFields,
  tryParsePlainJson,
  readList,
  readText,
  type Fields,
} from "../../base/lenient.ts";
import { localize } from "../../base/localize.ts";
import { localizeCount } from "../../base/plural.ts";
import { plainJson } from "../../base/json/json-tree.ts";
import type { TapedeckError } from "../../base/errors.ts";
import { explain } from "../../base/errors.ts";
import { decodeReceived, SESSION_TYPE } from "../../call/transcript.ts";
import { decodeUtf8 } from "../../base/wire/text.ts";
import { createNamedMedia } from "../base/media.ts";
import { readQuerySettings, shortenLabel, listTexts } from "../base/operation.ts";
import type {
  ConversationMessage,
  ConversationPart,
  Protocol,
  ProtocolRequest,
  ReportedUsage,
  SessionPlace,
  SessionRules,
} from "../base/protocol.ts";
import { readReportedUsage, type UsageWire } from "../base/usage.ts";
import { readGeminiMessage } from "../gemini/content.ts";
import { readItemMessage } from "../openai/responses/items.ts";

/** An operation that is a session of a WebSocket. */
interface SessionRow {
  readonly operation: string;
  readonly path: RegExp;
  readonly label: string;
  readonly usage: UsageWire;
  /** Reads a client's message: parts of the conversation. */
  readonly says: (message: Fields) => readonly ConversationMessage[];
  /** Reads a server's message. */
  readonly answers: (message: Fields) => readonly ConversationMessage[];
  /** Whether a server's message has a piece of a text or of audio, which is shown joined. */
  readonly isPiece: (message: Fields) => boolean;
  /** The counts in a server's message. */
  readonly counts: (message: Fields) => unknown;
  readonly model: (message: Fields) => string | undefined;
  readonly session: SessionRules;
}

function sessionProtocol(row: SessionRow): Protocol {
  const messagesOf = (request: ProtocolRequest): readonly ConversationMessage[] =>
    joinPieces(
      sentIn(request).flatMap((message, index) =>
        row.says(message).map((one) => ({ ...one, place: { at: index + 1 } })),
      ),
    );
  return {
    operation: row.operation,
    accepts: (method, pathname) => method === "GET" && row.path.test(pathname),
    facts(request) {
      const query = new Map(readQuerySettings(request.path));
      const model = query.get("model") ?? query.get("deployment") ?? modelIn(sentIn(request), row);
      const texts = messagesOf(request)
        .filter(({ role }) => role === "user")
        .flatMap(({ parts }) => listTexts(parts));
      const last = texts.findLast((text) => text.trim() !== "");
      return { model, streaming: true, label: last === undefined ? localize(row.label) : shortenLabel(last) };
    },
    conversation: (request) => ({ messages: messagesOf(request), settings: readQuerySettings(request.path) }),
    project({ body }) {
      const received = (decodeReceived(body) ?? []).flatMap(({ after, frame }) => {
        const text = "text" in frame ? frame.text : "bytes" in frame ? decodeUtf8(frame.bytes) : undefined;
        const message = text === undefined ? undefined : tryParsePlainJson(text);
        return isFields(message) ? [{ at: after, message }] : [];
      });
      const messages = received.flatMap(({ at, message }): readonly PlacedMessage[] => {
        const isPiece = row.isPiece(message);
        const isEnd = row.session.activity(message) === "ends" && row.answers(message).length === 0;
        if (isEnd) return [END];
        return row.answers(message).map((one) => ({ ...one, place: { at }, isPiece }));
      });
      return {
        messages: joinPieces(messages),
        usage: totalUsage(received.map(({ message }) => readReportedUsage(row.counts(message), row.usage))),
        events: received.length,
      };
    },
    compose: () => ({ contentType: SESSION_TYPE, body: new Uint8Array() }),
    isWhole: () => true,
    session: row.session,
  };
}

function sentIn({ body }: ProtocolRequest): readonly Fields[] {
  return body.kind === "json"
    ? readList(plainJson(body.tree)).map((one) => unwrapMessage(readFields(one)))
    : [];
}

/** Returns a message that the client sent as bytes like one that it sent as text. */
const unwrapMessage = (message: Fields): Fields =>
  isFields(message["$binary"]) ? message["$binary"] : message;

function modelIn(sent: readonly Fields[], row: SessionRow): string | undefined {
  return sent.map(row.model).find((model) => model !== undefined);
}

function totalUsage(all: readonly (ReportedUsage | undefined)[]): ReportedUsage | undefined {
  const sums: Partial<Record<keyof ReportedUsage, number>> = {};
  for (const usage of all)
    for (const [name, count] of Object.entries(usage ?? {}) as [keyof ReportedUsage, number | undefined][])
      if (count !== undefined) sums[name] = (sums[name] ?? 0) + count;
  return Object.keys(sums).length === 0 ? undefined : sums;
}

/** A message of a session before its pieces are joined. */
interface PlacedMessage extends ConversationMessage {
  readonly place: SessionPlace;
  /** Whether its text continues the text before it. */
  readonly isPiece?: boolean;
}

/** Ends a text that arrives in pieces. */
const END: PlacedMessage = { role: "end", parts: [], place: { at: 0 } };

/**
 * Joins the pieces of a text, and shows pieces of audio as one part. A server sends both by turns. Pieces of a client are
 * joined only if it sent no other message between them, because the server may have replied to that message.
 */
function joinPieces(messages: readonly PlacedMessage[]): readonly ConversationMessage[] {
  const joined: PlacedMessage[] = [];
  // Where the consecutive messages of the last role begin.
  let turn = 0;
  for (const { isPiece = false, ...message } of messages) {
    const [part] = message.parts;
    if (joined.at(-1)?.role !== message.role) turn = joined.length;
    const from = isPiece ? turn : Math.max(turn, joined.length - 1);
    const offset = joined
      .slice(from)
      .findIndex(({ parts: [before], place }) =>
        part === AUDIO
          ? before === AUDIO && (isPiece || getEnd(place) === message.place.at)
          : isPiece && before?.type === part?.type,
      );
    const at = from + offset;
    const before = offset < 0 ? undefined : joined[at];
    if (before === undefined) joined.push(message);
    else if (part === AUDIO)
      joined[at] = { ...before, place: { ...before.place, pieces: (before.place.pieces ?? 1) + 1 } };
    else joined[at] = { ...before, parts: joinTexts(before.parts, message.parts) };
  }
  return joined.filter(({ role }) => role !== END.role).map(describeAudio);
}

/** Returns the number of the client's next message after these pieces. */
const getEnd = ({ at, pieces = 1 }: SessionPlace): number => at + pieces;

function joinTexts(
  before: readonly ConversationPart[],
  next: readonly ConversationPart[],
): readonly ConversationPart[] {
  const [first, second] = [before.at(-1), next[0]];
  if (first?.type !== "text" || second?.type !== "text") return [...before, ...next];
  return [...before.slice(0, -1), { type: "text", text: first.text + second.text }, ...next.slice(1)];
}

/** Returns a message with pieces of audio as one part that has their number. */
export function describeAudio<T extends ConversationMessage>(message: T): T {
  const { parts, place } = message;
  if (parts[0] !== AUDIO && place?.pieces === undefined) return message;
  const pieces = place?.pieces ?? 1;
  const description = localizeCount(pieces, "{0} piece of audio", "{0} pieces of audio");
  return { ...message, parts: [createNamedMedia("audio", description)] };
}

/** Marks a piece of audio until `joinPieces` counts it. */
const AUDIO = createNamedMedia("audio", "audio");

const textMessage = (role: string, text: unknown): readonly ConversationMessage[] => {
  const found = readText(text);
  return found === undefined ? [] : [{ role, parts: [{ type: "text", text: found }] }];
};

/** Reads an item of a conversation. Audio is shown as its transcript. */
function readSpokenItem(item: unknown): ConversationMessage {
  const fields = readFields(item);
  const content = readList(fields["content"]).map((part) => {
    const { transcript } = readFields(part);
    return typeof transcript === "string" ? { type: "output_text", text: transcript } : part;
  });
  return readItemMessage(content.length === 0 ? item : { ...fields, content });
}

/** Reports a failure as an event, as OpenAI and its likes do. Source: …/api-reference/realtime-server-events/error, 2026-11. */
function errorEvent(error: TapedeckError): string {
  const { code, status } = error;
  return JSON.stringify({
    type: "error",
    event_id: "event_tapedeck",
    status,
    error: { type: code, code, message: explain(error), param: null, event_id: null },
  });
}

/**
 * Sessions of OpenAI, Azure, and xAI, which share their messages: Realtime, its translations, and Live.
 * Sources: platform.openai.com/docs/api-reference/realtime, docs.x.ai/docs/guides/voice, openai-node 7.59
 * `resources/live/live.ts`, 2026-11.
 */
const realtime = sessionProtocol({
  operation: "realtime",
  path: /(?:^|\/v\d\w*|\/openai|\/voice-live)\/(?:realtime(?:\/translations)?|live\/sessions(?:\/[^/]+\/(?:attach|fork))?)$/,
  label: "realtime session",
  usage: "responses",
  says({ type, session, item, audio, content }) {
    if (type === "session.update" || type === "session.start")
      return textMessage("system", readFields(session)["instructions"]);
    if (item !== undefined) return [readSpokenItem(item)];
    if (typeof content === "string") return textMessage("user", content);
    return typeof audio === "string" ? [{ role: "user", parts: [AUDIO] }] : [];
  },
  answers({ type, response, error, transcript, delta }) {
    if (type === "error") return textMessage("error", readFields(error)["message"]);
    if (type === "response.done") return readList(readFields(response)["output"]).map(readSpokenItem);
    if (type === "conversation.item.input_audio_transcription.completed")
      return textMessage("user", transcript);
    if (type === "session.input_transcript.delta") return textMessage("user", delta);
    return type === "session.output_transcript.delta" ? textMessage("assistant", delta) : [];
  },
  isPiece: ({ type }) => typeof type === "string" && type.endsWith("_transcript.delta"),
  counts: ({ type, response }) => (type === "response.done" ? readFields(response)["usage"] : undefined),
  model: ({ session }) => readText(readFields(session)["model"]),
  session: {
    activity({ type }) {
      if (type === "response.created") return "begins";
      return type === "response.done" ? "ends" : undefined;
    },
    fail: errorEvent,
  },
});

/**
 * Gemini Live, which reports failures only by closing.
 * Source: ai.google.dev/api/live, js-genai 2.32 `live.ts`, 2026-11.
 */
const live = sessionProtocol({
  operation: "live",
  path: /\.BidiGenerateContent(?:Constrained)?$/,
  label: "live session",
  usage: "gemini",
  says(message) {
    const { setup, clientContent, realtimeInput, toolResponse } = camelNames(message);
    if (isFields(setup))
      return setup["systemInstruction"]
        ? [{ ...readGeminiMessage(setup["systemInstruction"], "system"), role: "system" }]
        : [];
    if (isFields(clientContent))
      return readList(clientContent["turns"]).map((turn) => readGeminiMessage(turn, "user"));
    if (isFields(toolResponse))
      return readList(toolResponse["functionResponses"]).map((functionResponse) =>
        readGeminiMessage({ parts: [{ functionResponse }] }, "tool"),
      );
    const { text, audio, mediaChunks, video } = readFields(realtimeInput);
    return (audio ?? mediaChunks ?? video) ? [{ role: "user", parts: [AUDIO] }] : textMessage("user", text);
  },
  answers(message) {
    const { serverContent, toolCall } = message;
    const { modelTurn, outputTranscription, inputTranscription } = readFields(serverContent);
    if (isFields(toolCall))
      return readList(toolCall["functionCalls"]).map((functionCall) =>
        readGeminiMessage({ parts: [{ functionCall }] }, "assistant"),
      );
    if (isFields(modelTurn)) {
      const isAudio = readList(modelTurn["parts"]).every((part) => isFields(readFields(part)["inlineData"]));
      return [isAudio ? { role: "assistant", parts: [AUDIO] } : readGeminiMessage(modelTurn, "assistant")];
    }
    return [
      ...textMessage("user", readFields(inputTranscription)["text"]),
      ...textMessage("assistant", readFields(outputTranscription)["text"]),
    ];
  },
  isPiece: ({ serverContent }) => serverContent !== undefined,
  counts: ({ usageMetadata }) => usageMetadata,
  model: ({ setup }) => readText(readFields(setup)["model"])?.replace(/^(?:.*\/)?models\//, ""),
  session: {
    activity({ serverContent, toolCall }) {
      const { modelTurn, turnComplete, interrupted } = readFields(serverContent);
      if (turnComplete === true || interrupted === true || toolCall !== undefined) return "ends";
      return modelTurn === undefined ? undefined : "begins";
    },
  },
});

/** Python's client sends some names in snake case. */
function camelNames(message: Fields): Fields {
  const {
    client_content: clientContent,
    realtime_input: realtimeInput,
    tool_response: toolResponse,
  } = message;
  return { clientContent, realtimeInput, toolResponse, ...message };
}

export const OPENAI_SESSIONS: readonly Protocol[] = [realtime];
export const GEMINI_SESSIONS: readonly Protocol[] = [live];
