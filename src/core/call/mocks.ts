/** Made-up answers of a project, a run, or a test, as data for the mock client core. */

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

/** A fault to inject, and its calls. */
export type PlannedFault = CallMatch & {
  /** Number of calls that it affects. Default: 1, or "always" for a fault that only slows down. */
  readonly times?: Times;
  /** Probability from 0 to 1 that it affects a matching call. Default: 1. */
  readonly probability?: number;
} & (
    | FailedCall
    /** Number of events after which the reply ends silently; a reply that is not streamed ends in its middle. */
    | { readonly cutAfter: number }
    /** Number of events after which the connection breaks. */
    | { readonly disconnectAfter: number }
    /** Milliseconds before the first event, and events a second after it. */
    | { readonly firstTokenMs?: number; readonly tokensPerSecond?: number }
    /** One call without a fault. */
    | { readonly ok: true }
  );

export const isFailed = <T extends object>(entry: T): entry is T & FailedCall => "status" in entry;
