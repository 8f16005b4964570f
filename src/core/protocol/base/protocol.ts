import type { RequestBody } from "../../base/read-body.ts";
import type { WireHeaders, WireReply } from "../../call/call.ts";
import type { TapedeckError } from "../../base/errors.ts";
import type { Framing } from "../../base/wire/framing.ts";
import type { SseEvent } from "../../base/wire/sse.ts";
import type { Fields } from "../../base/lenient.ts";

/** A request as protocols receive it: without headers, except the content type in `body`. */
export interface ProtocolRequest {
  readonly provider: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: RequestBody;
}

/** A summary of a request, for people and for the sources. */
export interface RequestFacts {
  readonly model?: string | undefined;
  readonly streaming: boolean;
  /** First line of the last user text, without quotes; or a description ("3 texts to embed"). Never empty. */
  readonly label: string;
  /** The last text of a user. Absent if the conversation has to be searched for it. */
  readonly text?: string | undefined;
}

/** One part of a conversation, request or reply, in the field's common terms. */
export type ConversationPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly id?: string | undefined;
      readonly name: string;
      readonly arguments: string;
    }
  | { readonly type: "tool-result"; readonly id?: string | undefined; readonly text: string }
  | {
      readonly type: "media";
      readonly media: "image" | "audio" | "video" | "file";
      readonly description: string;
      /** A web address, or a `data:` address with all of the content. */
      readonly url?: string;
    }
  | { readonly type: "other"; readonly description: string; readonly text: string };

export interface ConversationMessage {
  /** "system", "user", "assistant", "tool", or the provider's name for another role. */
  readonly role: string;
  readonly parts: readonly ConversationPart[];
  /** Present in a session. */
  readonly place?: SessionPlace;
}

/** Where a message of a session is: the client's messages have numbers from 1. */
export interface SessionPlace {
  /** The number of this message of the client, or of the last one before this message of the server. */
  readonly at: number;
  /** The number of messages that are shown as one: pieces of audio. */
  readonly pieces?: number;
}

/** A request in a format that is the same for all providers. */
export interface Conversation {
  readonly messages: readonly ConversationMessage[];
  /** The other members, e.g. ["temperature", "0.2"], ["tools", "get_weather(city)"]; in wire order. */
  readonly settings: readonly (readonly [name: string, value: string])[];
}

/** Token counts with the same meaning for all providers. */
export interface ReportedUsage {
  /** The whole prompt, including tokens read from and written to a cache. */
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  /** Tokens of audio and images that have other prices than text; part of the input and the output. */
  readonly mediaInputTokens?: number | undefined;
  readonly mediaOutputTokens?: number | undefined;
  /** US dollars, if the provider reports the cost of the call. */
  readonly costUsd?: number | undefined;
}

/** A reply in a format that is the same for all providers. Computed from the bytes on demand, never stored. */
export interface Projection {
  /** One per choice of the reply. */
  readonly messages: readonly ConversationMessage[];
  readonly usage?: ReportedUsage | undefined;
  readonly finishReason?: string | undefined;
  readonly model?: string | undefined;
  /** Number of events, if the reply was streamed. */
  readonly events?: number | undefined;
}

/** A reply body by its framing. */
export type ReadReply =
  | { readonly kind: "stream"; readonly events: readonly SseEvent[] }
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "text"; readonly text: string };

/** The parts of a projection that lists show. */
export type ReplyCounts = Pick<Projection, "usage" | "model">;

/** Reads the counts of a reply without the rest of it. */
export interface CountsReader extends CountedEvents {
  /** `reply`: whole, or the counted events of a stream. */
  read(reply: ReadReply, status: number): ReplyCounts;
}

/** The events of a stream that have its counts or its model, by their text. */
export interface CountedEvents {
  /** Matches events that add up. */
  readonly all?: RegExp;
  /** The last event counts that matches each of these. */
  readonly last?: readonly RegExp[];
}

/** Links between calls of a conversation that the provider stores. */
export interface Thread {
  /** The earlier reply or the conversation that the call continues. */
  readonly after?: string | undefined;
  /** IDs by which later requests can continue from its reply. */
  readonly ids: readonly string[];
}

/** A reply as protocols receive it. */
export interface Reply {
  readonly status: number;
  readonly contentType?: string | undefined;
  readonly body: Uint8Array;
}

/** The content of a reply that a person or a mock makes up. */
export interface ReplyDraft {
  readonly text: string;
  /** Only for operations that `composesToolCalls`. */
  readonly toolCalls?: readonly ToolCallDraft[];
  /** Default: 0 tokens. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  /** Default "stop", which becomes the provider's reason for tool calls if there are any. */
  readonly finish?: "stop" | "length" | "content-filter";
  /** Pieces of a streamed text. Default: its lines, so that people can read and edit the recording. */
  readonly pieces?: readonly string[];
}

export interface ToolCallDraft {
  readonly id: string;
  readonly name: string;
  /** JSON text, of an object. */
  readonly arguments: string;
}

/** A reply made from a draft. */
export interface ComposedReply {
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** One operation of one provider dialect. Pure: no clock, no socket, no file. */
export interface Protocol {
  /** E.g. "chat.completions". Part of the key. */
  readonly operation: string;
  accepts(method: string, pathname: string): boolean;
  /**
   * Whether the headers select this operation, for paths with two operations. The decision is part of the operation's
   * name, and so of the key.
   */
  chosenBy?(headers: WireHeaders): boolean;
  /** Summarizes a request. @throws TapedeckError `tapedeck_bad_request` if its body is invalid for the operation */
  facts(request: ProtocolRequest): RequestFacts;
  conversation(request: ProtocolRequest): Conversation;
  /** Reads JSON and streams. Unreadable content becomes an "other" part, never an error. */
  project(reply: Reply): Projection;
  /** Absent if all of a reply has to be read for its counts. */
  readonly counts?: CountsReader | undefined;
  /** Undefined if requests contain their whole conversation. */
  thread?: ((request: ProtocolRequest, reply: Reply) => Thread) | undefined;
  /** Undefined if the operation never streams. */
  readonly stream?: StreamRules | undefined;
  /** Whether a stream stays open until its client leaves. `GET` streams without rules always do. */
  readonly staysOpen?: true | undefined;
  /** Composes a reply from a draft, as JSON or as a stream, as the request asks. */
  compose(draft: ReplyDraft, request: ProtocolRequest): ComposedReply;
  /** Whether a draft can have tool calls. */
  readonly composesToolCalls?: true | undefined;
  /** Whether a reply without a stream is a complete reply of this operation, neither an error nor truncated. */
  isWhole(body: Uint8Array): boolean;
  /** Returns the reason why a reply without a stream has no final answer ("The response r is in_progress"). */
  unfinished?: ((body: Uint8Array) => string | undefined) | undefined;
  /** Present if the operation is a session of a WebSocket. */
  readonly session?: SessionRules | undefined;
}

/** Rules for the messages of a session. */
export interface SessionRules {
  /** Whether a message of the server begins or ends a reply of the model. */
  activity(message: Fields): "begins" | "ends" | undefined;
  /** Formats a failure as a message of the server. Absent if the API reports failures only by closing. */
  fail?(error: TapedeckError): string;
}

/**
 * Rules for the end of an operation's streams. An event is the text of one frame with its closing blank line; a binary
 * message is formatted as a frame (see `pieceText`).
 */
export interface StreamRules {
  /** Whether an event ends the answer. It is held back until the recording is on disk. */
  isTerminal(event: string): boolean;
  /** Whether the answer may continue after a terminal event. Then only the end of the body ends it. */
  readonly endsWithBody?: true | undefined;
  /** Whether an answer without a terminal event is finished. Absent if only that event marks the end. */
  isFinished?(body: Uint8Array): boolean;
  /** Framing of streams with the content type `application/json`. */
  readonly inJson?: Framing;
  /** Whether an event reports an error. The answer is then incomplete even if its connection ends normally. */
  isError(event: string): boolean;
}

/** The operations and the error format of a family of providers. */
export interface Dialect {
  readonly name: string;
  readonly operations: readonly Protocol[];
  /** Formats a failure of Tapedeck as an error of the provider that its official SDK does not retry. */
  refuse(error: TapedeckError): WireReply;
  /** Formats a simulated failure of the provider. It keeps its status, and clients can retry it. */
  fail(status: number, message: string): WireReply;
}

/** A variable for a provider's address, and the end of the provider's path that its value includes. */
export interface Variable {
  readonly name: string;
  readonly path: string;
}

/** An address from a variable of the user. The variable keeps its value if calls to the provider go elsewhere. */
export interface Beside extends Pick<ProviderFacts, "upstream" | "insteadOf"> {
  readonly variable?: string;
}

/** A provider, by the name in its Tapedeck address. */
export interface Provider extends ProviderFacts {
  readonly dialect: Dialect;
}

/** Addresses, keys, and variables of a provider. */
export interface ProviderFacts {
  readonly name: string;
  /** https, or http to this machine or a private address; no trailing slash. Undefined if the user has to set it. */
  readonly upstream?: string;
  /** Set if the upstream is the user's. */
  readonly isUsersOwn?: true;
  /** Set if the user set it for Tapedeck (by an option or a setting), not for the provider's clients. */
  readonly isNamed?: true;
  /**
   * Hosts in addition to that of `upstream`; "*" is one or more letters, digits, and "-". With a path, only calls
   * below it: "*.services.ai.azure.com/anthropic".
   */
  readonly hosts?: readonly string[];
  /** Path prefix that calls have here, but not at an upstream from the user's environment; absent for none. */
  readonly insteadOf?: string;
  /** Further addresses from the user's environment. Calls to them are forwarded there unless Tapedeck has an upstream set. */
  readonly besides?: readonly Beside[];
  /** Environment variables that point its clients to Tapedeck; `path` follows `/TOKEN/PROVIDER`. */
  readonly variables: readonly Variable[];
  /** Variables that other clients read for its address. They are not set, because some clients fail if they are. */
  readonly variablesOfOthers?: readonly Variable[];
  /**
   * Variables for a key: first the one that its SDK reads, then those of frameworks. If the user has set none of them
   * and the mode does not send calls, each is set to a placeholder.
   */
  readonly keyVariables: readonly string[];
  /** Whether programs choose this provider if its key is set. Then no placeholder is set. */
  readonly isChosenByKey?: boolean;
  /** Variables for credentials other than a key. If one is set, no placeholder is set. */
  readonly otherCredentials?: readonly string[];
  /** Whether its clients need the variable, because each user has a different address. */
  readonly needsVariable?: boolean;
}
