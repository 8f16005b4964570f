import type { RequestBody } from "../../base/read-body.ts";
import type { WireHeaders, WireReply } from "../../call/call.ts";
import type { TapedeckError } from "../../base/errors.ts";
import type { Framing } from "../../base/wire/framing.ts";

/** What a protocol is given of a request: never a header, except what the body is. */
export interface ProtocolRequest {
  readonly provider: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: RequestBody;
}

/** What a request is about, for people and for the sources. */
export interface RequestFacts {
  readonly model?: string | undefined;
  readonly streaming: boolean;
  /** The last user text, first line, without quotes; or what the call is ("3 texts to embed"). Never empty. */
  readonly label: string;
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
  /** "system", "user", "assistant", "tool", or what the provider calls it. */
  readonly role: string;
  readonly parts: readonly ConversationPart[];
}

/** The neutral reading of a request. */
export interface Conversation {
  readonly messages: readonly ConversationMessage[];
  /** What else was asked, e.g. ["temperature", "0.2"], ["tools", "get_weather(city)"]; in wire order. */
  readonly settings: readonly (readonly [name: string, value: string])[];
}

/** Token counts, alike for every provider. */
export interface ReportedUsage {
  /** All of the prompt, what came from a cache or went into one included. */
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  /** US dollars, where the provider says what the call took. */
  readonly costUsd?: number | undefined;
}

/** The neutral reading of a reply. Computed from the bytes whenever it is needed, never stored in their place. */
export interface Projection {
  /** One per choice that the provider gave. */
  readonly messages: readonly ConversationMessage[];
  readonly usage?: ReportedUsage | undefined;
  readonly finishReason?: string | undefined;
  readonly model?: string | undefined;
  /** Number of events where the reply was streamed. */
  readonly events?: number | undefined;
}

/** How a call hangs together with others where the provider holds the conversation. */
export interface Thread {
  /** What it was asked on: the id of an earlier reply, or of a conversation. */
  readonly after?: string | undefined;
  /** The ids by which a later request may go on from its reply. */
  readonly ids: readonly string[];
}

/** What a protocol is given of a reply. */
export interface Reply {
  readonly status: number;
  readonly contentType?: string | undefined;
  readonly body: Uint8Array;
}

/** What a reply is to be made of when no provider made one: by a person or a mock. */
export interface ReplyDraft {
  readonly text: string;
  /** Only for operations that `composesToolCalls`. */
  readonly toolCalls?: readonly ToolCallDraft[];
  /** Default: nothing was spent. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  /** Default "stop"; with tool calls that is the provider's word for them. */
  readonly finish?: "stop" | "length" | "content-filter";
  /** How a stream cuts the text. Default: by its lines, so that a recording of it can be read and edited. */
  readonly pieces?: readonly string[];
}

export interface ToolCallDraft {
  readonly id: string;
  readonly name: string;
  /** JSON text, of an object. */
  readonly arguments: string;
}

/** A reply made from a draft. */
export interface Composed {
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** One operation of one provider dialect. Pure: no clock, no socket, no file. */
export interface Protocol {
  /** E.g. "chat.completions". Part of the key. */
  readonly operation: string;
  accepts(method: string, pathname: string): boolean;
  /**
   * Where a header decides which of two operations a request is for, whether this is the one. What comes of it stands
   * in the operation's name, and so in the key.
   */
  chosenBy?(headers: WireHeaders): boolean;
  /** @throws TapedeckError `tapedeck_bad_request` where the body is not what the operation takes. */
  facts(request: ProtocolRequest): RequestFacts;
  conversation(request: ProtocolRequest): Conversation;
  /** Reads JSON and streams alike; what cannot be read becomes an "other" part, never an error. */
  project(reply: Reply): Projection;
  /** Undefined where requests hold all of their conversation. */
  thread?: ((request: ProtocolRequest, reply: Reply) => Thread) | undefined;
  /** Undefined where the operation never streams. */
  readonly stream?: StreamRules | undefined;
  /** A whole reply made from a draft, in the shape (JSON or stream) that the request asked for. */
  compose(draft: ReplyDraft, request: ProtocolRequest): Composed;
  /** Whether a draft of its reply may have tool calls. */
  readonly composesToolCalls?: true | undefined;
  /** Whether a whole reply that is not a stream is one of this operation: not an error in disguise, nothing cut off. */
  isWhole(body: Uint8Array): boolean;
  /** Says of a reply without a stream that its answer is still being made, or was given up ("The response r is in_progress"). */
  unfinished?: ((body: Uint8Array) => string | undefined) | undefined;
}

/**
 * How a stream of an operation ends. An event is the text of one frame, its closing blank line included; a binary
 * message is given in the words of such a frame (see `pieceText`).
 */
export interface StreamRules {
  isTerminal(event: string): boolean;
  /** Whether the answer may continue after a terminal event. Then only the end of the body ends it. */
  readonly endsWithBody?: true | undefined;
  /** Whether an answer without a terminal event is finished. Absent if only that event marks the end. */
  isFinished?(body: Uint8Array): boolean;
  /** How a stream is divided that comes as `application/json`. */
  readonly inJson?: Framing;
  /** An error inside the stream: the answer is not whole even if it ends well. */
  isError(event: string): boolean;
  /** Whether the beginning of an event may still turn out to be terminal: such bytes wait until the recording is on disk. */
  mayBeTerminal(beginning: string): boolean;
}

/** How a family of providers words its failures, and which operations it has. */
export interface Dialect {
  readonly name: DialectName;
  readonly operations: readonly Protocol[];
  /** The failure in the provider's own error shape, which its official SDK understands and does not retry. */
  refuse(error: TapedeckError): WireReply;
  /** A failure of the provider's own, as its clients know it: its status stands, and they may try again. */
  fail(status: number, message: string): WireReply;
}

export type DialectName =
  | "anthropic"
  | "bedrock"
  | "cohere"
  | "dashscope"
  | "deepseek"
  | "gemini"
  | "http"
  | "huggingface"
  | "mistral"
  | "moonshot"
  | "ollama"
  | "openai"
  | "openrouter"
  | "together"
  | "xai";

/** A variable for a provider's address, and what of the provider's path its value ends with. */
export interface Variable {
  readonly name: string;
  readonly path: string;
}

/** An address of the user's own by a variable, which keeps its value where the provider's calls go somewhere else. */
export interface Beside extends Pick<ProviderFacts, "upstream" | "insteadOf"> {
  readonly variable?: string;
}

/** A provider by the name in its address. */
export interface Provider extends ProviderFacts {
  readonly dialect: Dialect;
}

/** What is known of a provider besides what its calls mean. */
export interface ProviderFacts {
  readonly name: string;
  /** https, or http to this machine or a private address; no trailing slash. Undefined where the user has to say it. */
  readonly upstream?: string;
  /** Set where the user said it. */
  readonly isUsersOwn?: true;
  /** Set where they said it to Tapedeck (an option or a setting), and not to the provider's clients. */
  readonly isNamed?: true;
  /**
   * Its hosts besides that of `upstream`; "*" is one or more letters, digits and "-". With a path, only what lies
   * below it: "*.services.ai.azure.com/anthropic".
   */
  readonly hosts?: readonly string[];
  /** What its calls begin with here and not at an upstream that the user's environment named; absent for nothing. */
  readonly insteadOf?: string;
  /** What else their environment named: clients may call it, and their calls go on to it where nothing was named to Tapedeck. */
  readonly besides?: readonly Beside[];
  /** Environment variables that point its clients to us; `path` comes after `/TOKEN/PROVIDER`. */
  readonly variables: readonly Variable[];
  /** Those that other clients read for its address. They are left as they are: some clients fail where one is set. */
  readonly variablesOfOthers?: readonly Variable[];
  /**
   * Variables that hold a key: first the one that its SDK asks for, then those of frameworks. Each is set to a
   * placeholder where the user has none of them and the mode cannot leave the machine.
   */
  readonly keyVariables: readonly string[];
  /** Whether programs that could call others as well call it where its key is there: no key may seem to be. */
  readonly isChosenByKey?: boolean;
  /** Variables that give its clients another credential than a key: no placeholder may stand beside one. */
  readonly otherCredentials?: readonly string[];
  /** Whether its clients have no address where its variable is not set: each user has one of their own. */
  readonly needsVariable?: boolean;
}
