import { localize } from "../../base/localize.ts";
import { addTo } from "../../base/group-by.ts";
import type {
  ConversationMessage,
  CountedEvents,
  ConversationPart,
  Projection,
  Protocol,
  Reply,
  StreamRules,
} from "./protocol.ts";
import {
  readFields,
  isText,
  tryParsePlainJson,
  stringifyJson,
  readText,
  type Fields,
} from "../../base/lenient.ts";
import { type SseEvent, readEvents, readFrame } from "../../base/wire/sse.ts";
import { createNamedMedia } from "./media.ts";
import { createCallPart, createCitationParts, createOtherPart, createTextPart } from "./parts.ts";
import { createFailureMessage, readReply, createUnreadableProjection } from "./reply.ts";
import { readReportedUsage, type UsageWire } from "./usage.ts";
import { decodeText } from "../../base/wire/text.ts";

/** Where a piece of an answer belongs: parts are in their message by ascending index; pieces of one index are joined. */
interface Place {
  /** Default 0. */
  readonly choice?: number;
  readonly index: number;
}

/** A piece of an answer, whole or streamed, in terms that are the same for every provider. */
export type ReplyEvent =
  | StartEvent
  /** Reports that a choice has a message, even if it is empty. */
  | { readonly type: "message"; readonly choice?: number; readonly role?: string | undefined }
  | TextEvent
  | ToolCallEvent
  | AudioEvent
  | PartEvent
  /** Sources of the whole answer; the last event counts. */
  | { readonly type: "citations"; readonly citations: unknown }
  /** The provider's counts so far; the last event counts. `wire`: the names of the counts, if not those of the family. */
  | { readonly type: "usage"; readonly usage: Fields; readonly wire?: UsageWire }
  | FinishEvent
  | { readonly type: "error"; readonly error: unknown };

export interface StartEvent {
  readonly type: "start";
  readonly id?: string | undefined;
  readonly model?: string | undefined;
}

export interface FinishEvent {
  readonly type: "finish";
  readonly choice?: number;
  /** In the provider's spelling. */
  readonly reason: string;
  /** "view" if the answer has not ended, "stream" if the provider does not send the reason. */
  readonly only?: "view" | "stream";
  /** Whether the provider aborted the answer. */
  readonly isGivenUp?: true;
}

export interface TextEvent extends Place {
  readonly type: "text" | "thinking" | "refusal";
  readonly text: string;
  readonly signature?: string | undefined;
  /** Whether the part is hidden if all of its pieces have no text. */
  readonly isSilent?: true;
  /** The member that contained the thoughts, if the next request must return them in it. */
  readonly field?: string;
}

export interface ToolCallEvent extends Place {
  readonly type: "call";
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** JSON text that is appended. */
  readonly arguments?: string | undefined;
  readonly signature?: string | undefined;
  /** A kind of call that only some readers know. */
  readonly kind?: string | undefined;
}

export interface AudioEvent extends Place {
  readonly type: "audio";
  readonly id?: string | undefined;
  /** Base64 text that is appended. */
  readonly data?: string | undefined;
  readonly transcript?: string | undefined;
}

/** A complete part; a later event replaces an earlier one. */
export interface PartEvent extends Place {
  readonly type: "part";
  readonly parts: readonly ConversationPart[];
  /** In the provider's format. */
  readonly raw: unknown;
}

/** Reads the chunks of one answer. */
export interface EventReader {
  /** `name` and `data` are the fields of the server-sent event. */
  read(chunk: Fields, name?: string, data?: string): readonly ReplyEvent[];
  /** Returns the events that were held back until the end. */
  end?(): readonly ReplyEvent[];
}

/** How the answers of a wire family are read. All readers of a family share it. */
export interface WireFamily {
  readonly usage: UsageWire;
  readonly reader: () => EventReader;
  /** Splits a whole reply into the chunks of its stream; undefined for a reply of another operation. */
  readonly chunksOf: (
    fields: Fields,
    reply: Pick<Reply, "status">,
    value?: unknown,
  ) => readonly Fields[] | undefined;
  /** Returns the failure in a whole reply, or a falsy value without one. By default, `chunksOf` reports failures. */
  readonly failureIn?: (fields: Fields, reply: Pick<Reply, "status">) => unknown;
  /** Absent if any event of a stream may have counts. */
  readonly counted?: CountedEvents & {
    /** Reads the counts and the model of a chunk. Absent if they depend on the chunks before. */
    readonly read?: (chunk: Fields) => readonly ReplyEvent[];
  };
}

/** A family for the conversation view. */
export interface ViewedFamily extends WireFamily {
  /** Joins the chunks of a stream, for families whose chunks may repeat earlier text. */
  readonly whole?: (chunks: readonly Fields[]) => readonly Fields[];
}

/** Creates the function that shows a family's replies as a conversation. */
export function projectFamily(family: ViewedFamily): Protocol["project"] {
  return (reply) => {
    const framed = readReply(reply);
    if (framed.kind === "text") return createUnreadableProjection(framed.text);
    if (framed.kind === "stream") {
      const joined = family.whole?.(framed.events.map(({ data }) => readFields(tryParsePlainJson(data))));
      const events = joined ? createChunkEvents(family, joined) : createStreamEvents(family, framed.events);
      return { ...projectEvents(events, family.usage), events: framed.events.length };
    }
    const fields = readFields(framed.value);
    const failure = family.failureIn?.(fields, reply);
    if (failure) return { messages: [createFailureMessage(failure)] };
    const chunks = family.chunksOf(fields, reply, framed.value);
    if (chunks === undefined) return createUnreadableProjection(stringifyJson(framed.value));
    const read = projectEvents(createChunkEvents(family, chunks), family.usage);
    return Array.isArray(framed.value) ? { ...read, events: framed.value.length } : read;
  };
}

/** Reads the events of a stream to its end. */
export function createStreamEvents({ reader: begin }: WireFamily, events: readonly SseEvent[]): ReplyEvent[] {
  const reader = begin();
  const read = events.flatMap(({ data, event }) =>
    reader.read(readFields(tryParsePlainJson(data)), event, data),
  );
  return [...read, ...(reader.end?.() ?? [])];
}

/** Reads the chunks of a whole answer. */
export function createChunkEvents({ reader: begin }: WireFamily, chunks: readonly Fields[]): ReplyEvent[] {
  const reader = begin();
  return [...chunks.flatMap((chunk) => reader.read(chunk)), ...(reader.end?.() ?? [])];
}

/** Shows the events of an answer as a conversation. */
function projectEvents(events: readonly ReplyEvent[], wire: UsageWire): Projection {
  const roles = new Map<number, string>();
  const pieces = new Map<number, PieceEvent[]>();
  const reasons = new Map<number, string>();
  for (const event of events) {
    if (event.type === "message")
      roles.set(event.choice ?? 0, event.role ?? roles.get(event.choice ?? 0) ?? "assistant");
    else if (event.type === "finish" && event.only !== "stream") reasons.set(event.choice ?? 0, event.reason);
    else if ("index" in event) addTo(pieces, event.choice ?? 0, event);
  }
  const last = findLastValues(events);
  const cited = createCitationParts(last.citations);
  const choices = [...new Set([...roles.keys(), ...pieces.keys()])].sort((a, b) => a - b);
  const spoken = choices.map((choice): ConversationMessage => {
    const parts = partsOf(pieces.get(choice) ?? []);
    return { role: roles.get(choice) ?? "assistant", parts: [...parts, ...cited] };
  });
  const errors = events.flatMap((event) =>
    event.type === "error" ? [createFailureMessage(event.error)] : [],
  );
  const reason = [...new Set([...reasons].sort(([a], [b]) => a - b).map(([, one]) => one))].join(", ");
  return {
    messages: [...spoken, ...errors],
    usage: readReportedUsage(last.usage, last.wire ?? wire),
    finishReason: reason === "" ? undefined : reason,
    model: last.model,
  };
}

export type PieceEvent = Extract<ReplyEvent, Place>;

/** Finds the values for which the last event counts. */
export function findLastValues(events: readonly ReplyEvent[]) {
  const found: { model?: string; usage?: Fields; wire?: UsageWire | undefined; citations?: unknown } = {};
  for (const event of events) {
    if (event.type === "start" && event.model !== undefined) found.model = event.model;
    if (event.type === "usage") Object.assign(found, { usage: event.usage, wire: event.wire });
    if (event.type === "citations") found.citations = event.citations;
  }
  return found;
}

/** Joins the pieces of a message into its parts. */
function partsOf(pieces: readonly PieceEvent[]): ConversationPart[] {
  const byIndex = new Map<number, PieceEvent[]>();
  for (const piece of pieces) addTo(byIndex, piece.index, piece);
  return [...byIndex].sort(([a], [b]) => a - b).flatMap(([, some]) => joinPieces(some));
}

function joinPieces(pieces: readonly PieceEvent[]): readonly ConversationPart[] {
  const last = pieces.at(-1);
  if (last === undefined) return [];
  if (last.type === "part") return last.parts;
  const members = (name: string): readonly unknown[] => pieces.map((piece) => readFields(piece)[name]);
  const texts = (name: string): string => members(name).filter(isText).join("");
  const first = (name: string): string | undefined => readText(members(name).find(Boolean));
  if (last.type === "call") return [createCallPart(first("id"), first("name"), texts("arguments"))];
  if (last.type === "audio") {
    const id = first("id");
    const transcript = texts("transcript") || (id === undefined ? "" : `audio ${id}`);
    return transcript === "" ? [] : [createNamedMedia("audio", transcript)];
  }
  const text = texts("text");
  if (text === "" && members("isSilent").includes(true)) return [];
  if (last.type === "refusal") return [createOtherPart("refusal", text)];
  return [last.type === "thinking" ? { type: "thinking", text } : createTextPart(text)];
}

/*
 * Whether an answer is complete, read from the same events as its conversation. Each frame is read separately, because
 * neither a failure nor an end depends on what came before it.
 */

/**
 * Rules for the streams of a family. `rules` replaces those that do not follow from its events. `failure` matches each frame
 * that reports a failure. Other frames are not parsed, because parsing takes most of the time.
 */
export function createStreamRules(
  family: WireFamily,
  rules: Partial<StreamRules> = {},
  failure = /(?:)/,
): StreamRules {
  return {
    isTerminal: (frame) => eventsIn(family, frame).some(isEnd),
    isError: (frame) => failure.test(frame) && eventsIn(family, frame).some(isFailure),
    ...rules,
  };
}

/** Whether the events of a frame end the answer. */
export const endsWith = (family: WireFamily, frame: string): boolean => eventsIn(family, frame).some(isEnd);

/** Returns the check that each choice of a stream has a reason to finish. */
export function createChoicesCheck(family: WireFamily): (body: Uint8Array) => boolean {
  return (body) => {
    const events = createStreamEvents(family, readEvents(body));
    const finished = new Set(events.filter(isEnd).map(choiceOf));
    const begun = events.filter(({ type }) => type === "message").map(choiceOf);
    return finished.size > 0 && begun.every((choice) => finished.has(choice));
  };
}

/** Matches each reply with a finish reason by which a provider gives up. Most replies are not parsed for this. */
const GIVEN_UP = /error|insufficient_system_resource/i;

/** Makes the checks of a family's whole replies: they need its members and no failure. */
export function createWholeness(family: WireFamily): Pick<Protocol, "isWhole" | "unfinished"> {
  const eventsOf = (body: Uint8Array): readonly ReplyEvent[] | undefined => {
    const value = tryParsePlainJson(decodeText(body));
    const fields = readFields(value);
    if (family.failureIn?.(fields, { status: 200 })) return undefined;
    const chunks = family.chunksOf(fields, { status: 200 }, value);
    return chunks && createChunkEvents(family, chunks);
  };
  return {
    isWhole: (body) => eventsOf(body)?.some(isFailure) === false,
    unfinished(body) {
      if (!GIVEN_UP.test(decodeText(body))) return undefined;
      const reason = eventsOf(body)?.find((event) => event.type === "finish" && event.isGivenUp);
      if (reason?.type !== "finish") return undefined;
      return localize("The provider stopped the response (finish_reason {0})", reason.reason);
    },
  };
}

function eventsIn({ reader }: WireFamily, frame: string): readonly ReplyEvent[] {
  const { data, event } = readFrame(frame);
  // A line of JSON, or an element of a JSON array with the bracket or comma beside it.
  const json = data ?? frame.replace(/^\s*[[,]/, "").replace(/\]\s*$/, "");
  return reader().read(readFields(tryParsePlainJson(json)), event, data);
}

function isFailure(event: ReplyEvent): boolean {
  return event.type === "error" || (event.type === "finish" && event.isGivenUp === true);
}

const isEnd = (event: ReplyEvent): boolean => event.type === "finish" && event.only !== "view";

const choiceOf = (event: ReplyEvent): number => ("choice" in event ? event.choice : undefined) ?? 0;
