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
  Protocol,
  ProtocolRequest,
  ReportedUsage,
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
  /** The counts in a server's message. */
  readonly counts: (message: Fields) => unknown;
  readonly model: (message: Fields) => string | undefined;
  readonly session: SessionRules;
}

function sessionProtocol(row: SessionRow): Protocol {
  const messagesOf = (request: ProtocolRequest): readonly ConversationMessage[] =>
    joinAudio(sentIn(request).flatMap(row.says));
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
      const received = (decodeReceived(body) ?? []).flatMap(({ frame }) => {
        const text = "text" in frame ? frame.text : "bytes" in frame ? decodeUtf8(frame.bytes) : undefined;
        const value = text === undefined ? undefined : tryParsePlainJson(text);
        return isFields(value) ? [value] : [];
      });
      return {
        messages: joinAudio(received.flatMap(row.answers)),
        usage: totalUsage(received.map((message) => readReportedUsage(row.counts(message), row.usage))),
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

/** Shows consecutive pieces of audio of one role as one part. */
function joinAudio(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const joined: ConversationMessage[] = [];
  let pieces = 0;
  for (const [index, message] of messages.entries()) {
    const isPiece = message.parts.length === 1 && message.parts[0] === AUDIO;
    pieces = isPiece ? pieces + 1 : 0;
    const next = messages[index + 1];
    if (!isPiece) joined.push(message);
    else if (next?.role !== message.role || next.parts[0] !== AUDIO)
      joined.push({
        role: message.role,
        parts: [
          createNamedMedia("audio", localizeCount(pieces, "{0} piece of audio", "{0} pieces of audio")),
        ],
      });
  }
  return joined;
}

/** Marks a piece of audio until `joinAudio` counts it. */
const AUDIO = createNamedMedia("audio", "audio");

const textMessage = (role: string, text: unknown): readonly ConversationMessage[] => {
  const found = readText(text);
  return found === undefined ? [] : [{ role, parts: [{ type: "text", text: found }] }];
};

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
 * Sessions of OpenAI, Azure, and xAI, which share their messages.
 * Sources: platform.openai.com/docs/api-reference/realtime, docs.x.ai/docs/guides/voice, 2026-11.
 */
const realtime = sessionProtocol({
  operation: "realtime",
  path: /(?:^|\/v\d\w*|\/openai|\/voice-live)\/realtime$/,
  label: "realtime session",
  usage: "responses",
  says({ type, session, item, audio }) {
    if (type === "session.update") return textMessage("system", readFields(session)["instructions"]);
    if (type === "conversation.item.create") return [readItemMessage(item)];
    return typeof audio === "string" ? [{ role: "user", parts: [AUDIO] }] : [];
  },
  answers({ type, response, error }) {
    if (type === "error") return textMessage("error", readFields(error)["message"]);
    return type === "response.done" ? readList(readFields(response)["output"]).map(readItemMessage) : [];
  },
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
      return setup["systemInstruction"] ? [readGeminiMessage(setup["systemInstruction"], "system")] : [];
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
    const { modelTurn, outputTranscription } = readFields(serverContent);
    if (isFields(toolCall))
      return readList(toolCall["functionCalls"]).map((functionCall) =>
        readGeminiMessage({ parts: [{ functionCall }] }, "assistant"),
      );
    if (isFields(modelTurn)) {
      const isAudio = readList(modelTurn["parts"]).every((part) => isFields(readFields(part)["inlineData"]));
      return [isAudio ? { role: "assistant", parts: [AUDIO] } : readGeminiMessage(modelTurn, "assistant")];
    }
    return textMessage("assistant", readFields(outputTranscription)["text"]);
  },
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
