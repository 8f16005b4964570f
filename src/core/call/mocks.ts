/** What a project, a run or a test says of made-up answers: data, which the mock client core makes clients of. */

/** Which calls something is for: all that it does not say may be anything. */
export interface CallMatch {
  readonly provider?: string;
  readonly model?: string;
  /** Must stand in one of the request's texts. */
  readonly text?: string;
  /** Must stand in the name of the call's test: its titles, outermost first, with blanks between them. */
  readonly test?: string;
}

/** How many calls something is for, or "always". */
export type Times = number | "always";

/** One answer of a script, and which calls it is for. */
export type ScriptedReply = CallMatch & { readonly times?: Times } & (
    | { readonly reply: string | ScriptedAnswer }
    /** A script in kosong's echo language. */
    | { readonly kosong: string }
    | FailedCall
  );

/** An answer that is more than a text. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number };
  /** Default "stop". */
  readonly finish?: "stop" | "length" | "content-filter";
}

export interface ScriptedToolCall {
  readonly name: string;
  /** An object, or JSON text as a model may write it. */
  readonly arguments?: object | string;
  /** Default `call_1`, `call_2`, … within the answer. */
  readonly id?: string;
}

/** A failure as the provider words it. */
export interface FailedCall {
  /** From 400 to 599. */
  readonly status: number;
  readonly message?: string;
  /** Seconds, for the header `retry-after`. */
  readonly retryAfter?: number;
}

/** What goes wrong on purpose, and with which calls. */
export type PlannedFault = CallMatch & {
  /** How many calls it hits. Default 1; of what only slows down "always". */
  readonly times?: Times;
  /** How likely it hits one that it is for, from 0 to 1. Default 1. */
  readonly probability?: number;
} & (
    | FailedCall
    /** The reply ends after so many events, without saying so; one that is not streamed in its middle. */
    | { readonly cutAfter: number }
    /** The connection breaks after so many events. */
    | { readonly disconnectAfter: number }
    /** Milliseconds before the first event, and events a second after it. */
    | { readonly firstTokenMs?: number; readonly tokensPerSecond?: number }
    /** One call that nothing happens to. */
    | { readonly ok: true }
  );

export const isFailed = <T extends object>(entry: T): entry is T & FailedCall => "status" in entry;

/** How much of a model's context the calls of a run may take, in tokens. */
export interface ContextLimits {
  /** Input of all calls of a test to one model together, as OpenManus counts it. */
  readonly maxInputTokens?: number;
  /** What a call may need with its answer, as MiroFlow guards it. */
  readonly maxContextTokens?: number;
  /** What is kept for an answer where a call does not say. Default 4096. */
  readonly maxOutputTokens?: number;
  /** How many messages of users and tools a call should keep beside its first, as MiroFlow retains them: more is told. */
  readonly keepToolResults?: number;
  /** Whether a call that is over fails, as at a provider, and with it the run; or is told and answered. Default "fail". */
  readonly over?: "fail" | "tell";
}
