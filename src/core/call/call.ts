/** The engine's types: it takes a call, returns an answer, and emits an event. */
import { createWrongUsage, type TapedeckError } from "../base/errors.ts";
import { localize } from "../base/localize.ts";
import type { GivenReplies } from "./given-replies.ts";
import type { ValuePool } from "./value-pool.ts";
import type { Spending } from "./spending.ts";
import type { SocketRequest, UpstreamReply } from "./socket.ts";

/** How a run answers: the name of an ordered list of sources (see `source/modes.ts`). */
export type Mode = "strict" | "record" | "refresh" | "lenient" | "live";

export const MODES: readonly Mode[] = ["strict", "record", "refresh", "lenient", "live"];

/** Parses a mode from external input; undefined if it is not one. */
export const parseMode = (value: unknown): Mode | undefined => MODES.find((mode) => mode === value);

/** @throws TapedeckError `tapedeck_usage` for a text that is no mode */
export function expectMode(text: string): Mode {
  const mode = parseMode(text);
  if (mode !== undefined) return mode;
  throw createWrongUsage(
    localize('There is no mode "{0}".', text),
    localize("The modes are {0}.", MODES.join(", ")),
  );
}

/** The modes from which a call can reach a provider. */
export function canLeaveMachine(mode: Mode): boolean {
  return mode === "record" || mode === "refresh" || mode === "live";
}

/** The outcome of a call; the value of the `x-tapedeck-outcome` header. */
export type Outcome = "replayed" | "recorded" | "forwarded" | "defaulted" | "miss" | "refused";

/** Hash of the canonical request. The hex alone names the file (no colon on Windows). */
export type Key = `sha256:${string}`;

/** Lower-case names, in wire order; a repeated header is a repeated pair. */
export type WireHeaders = readonly (readonly [name: string, value: string])[];

/** The test that a call belongs to, or the script or cell that made it. `file` is relative to the workspace folder, with "/" between segments. */
export interface TestRef {
  readonly file: string;
  /** Titles, outermost first; for pytest the classes and the function with its `[param]`. Empty for a script. */
  readonly name: readonly string[];
  /** 1-based line in `file` of the frame that led to the call, if known. */
  readonly line?: number;
  readonly runner?: string;
  /** The position of the call itself, if it is not at `line` (in a helper). */
  readonly at?: { readonly file: string; readonly line: number };
  /** One execution of the test: the scope of the take counters. Never written to disk. */
  readonly execution?: string;
  /** Which of several tests with this name it is, or which repetition of one, from 2; absent for the first. */
  readonly trial?: number;
  /** If the runner reports no separate titles: all titles joined by blanks. `name` then holds only this string. */
  readonly joined?: string;
  /** The runner's own id: a pytest node id or a unittest id. */
  readonly id?: string;
}

/** Position of a call among identical concurrent calls of one process, in the order in which they are made. */
export interface GroupPlace {
  /** Names the group; unique among the processes of a run. */
  readonly id: string;
  /** From 1. */
  readonly position: number;
}

export interface CallGroup {
  /** The ordinal before those of the group. */
  readonly before: number;
  /** The last take, and how many ordinals had one, when the first call of the group was sent to be recorded. */
  recorded?: { readonly lastTake: number; readonly ordinals: number };
}

export interface CountedInGroup {
  readonly ordinal: number;
  readonly group: CallGroup;
}

/** Counters of identical calls between two resets of a run, by their scope and key. */
export interface CallCounts {
  /** The highest number that an answer under way or kept was given, by key. */
  readonly numbered: Map<string, number>;
  /** Counts another call of a name and returns its number: the lowest free one, or else the new count. */
  count(name: string): number;
  /** Counts a call of a group: its number follows from its position, in whatever order the calls arrive. */
  countInGroup(name: string, place: GroupPlace): CountedInGroup;
  /** Lets the next call of this name get this number. */
  free(name: string, number: number): void;
}

/** One stretch of calls that share a token, a mode and the take counters. */
export interface Run {
  /** Names the run in events and logs; it is not the token. */
  readonly id: string;
  mode: Mode;
  /** The test this run was started for; the attribution of a call overrides it. */
  readonly test?: TestRef;
  /** The cassette of its calls, where imported cassettes have different replies to one call. */
  readonly cassette?: string;
  /** The command that records its missing calls, where `tapedeck run` did not start its tests. */
  readonly recordCommand?: string;
  /** How to record its missing calls if no command does it: a sentence. */
  readonly howToRecord?: string;
  /** Keys that the next call answers in another mode than the run's: re-recording one call. */
  readonly overrides: Map<Key, Mode>;
  /** Identical calls so far, by scope and key. Another object where a new stretch begins. */
  counts: CallCounts;
  /** Keys whose first take this run recorded. */
  readonly firstRecorded: Set<string>;
  /** Set once the run's own tests have used its mocks, which may inject faults. */
  isAsking?: boolean;
  /** Milliseconds since the epoch, if known. */
  readonly startedAt?: number;
  /** Values that its processes made up. Absent until one of them reports some. */
  values?: ValuePool;
  /** Replies whose ids later requests name. Absent until there is one. */
  replies?: GivenReplies;
  /** Spending of its calls so far. A reset replaces the object, so that calls in progress still count for the old one. */
  spent: { total: Spending };
}

/** One request as received, including credentials. It is never kept longer than its answer. */
export interface Call {
  /** The address's path segment, e.g. "openai". */
  readonly provider: string;
  readonly method: string;
  /** The provider's own path and query, e.g. "/v1/messages?beta=true". */
  readonly path: string;
  readonly headers: WireHeaders;
  /** The content type from `headers`, if it was already read; "" if there is none. */
  readonly contentType?: string;
  readonly body: Uint8Array;
  /** The client's base URL for the provider: `http://127.0.0.1:PORT/TOKEN/openai`; absent if it has none. */
  readonly base?: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  readonly run: Run;
  /** The token of the address, if it has one. Recordings are searched for it, like for other credentials. */
  readonly token?: string;
  /** The address that the client chose instead of the provider's: `https://eu.api.openai.com`. Has a path only if the user's environment named it. */
  readonly origin?: string;
  readonly test?: TestRef;
  /** Present if the hooks in its process know it. */
  readonly groupPlace?: GroupPlace;
  /** The cassette that this call names, in place of its run's. */
  readonly cassette?: string;
  /** Present if the client asks for a WebSocket. */
  readonly socket?: SocketRequest;
  /** Sends the call to its provider, in place of an HTTP request. */
  readonly sendOver?: (signal: AbortSignal) => Promise<UpstreamReply>;
  /** MetaGPT's own cache keeps the answer: in modes that send calls, the call is forwarded and not recorded. */
  readonly isKeptElsewhere?: true;
}

/** The reply sent to the client. A body that is not bytes can be read once; leaving the loop early releases its source. */
export interface WireReply {
  readonly status: number;
  /** The reason phrase, if it differs from the standard one for the status. */
  readonly statusText?: string | undefined;
  readonly headers: WireHeaders;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** A made-up answer, which is not from a recording. */
export interface MadeUpReply {
  /** Who made it up: "the default reply", "reply 2 of the script". */
  readonly by: string;
  readonly reply: { readonly status: number; readonly contentType?: string; readonly body: Uint8Array };
}

/** A made-up answer with the call that it was given to. */
export interface MadeUp extends MadeUpReply {
  readonly call: Miss;
}

/** What kind of failure a client got, and its HTTP status. */
export type CallFailure = Pick<TapedeckError, "code" | "status">;

/** The end of a call, after its last byte. `reason` explains why a reply was not recorded. */
export interface Settled {
  readonly outcome: Outcome;
  readonly entry?: string;
  readonly reason?: string;
  /** What to do about it, if the failure is in the catalog with a hint. */
  readonly hint?: string;
  /** Origins of the values in a replayed reply that were replaced by those of this run. */
  readonly restored?: readonly string[];
  /** Whether the project makes the run fail because of it. */
  readonly failsRun?: boolean;
  /** Why the recording could not be written, in record or refresh mode. The run then fails. */
  readonly lost?: string;
  /** Set if the answer was made up. */
  readonly madeUp?: MadeUpReply;
  /** The injected faults in short form: "429", "cut:10 rate:20". */
  readonly fault?: string;
  /** The status of the upstream's answer, if there was one. */
  readonly upstreamStatus?: number;
  /** The failure that the client got in place of an answer. */
  readonly failedWith?: CallFailure;
  /** Spending of the call; absent if nothing was sent. */
  readonly charge?: () => Spending;
  /** The clock's ticks at the first byte of the upstream's answer. */
  readonly firstByteTicks?: number;
  /** Facts of a session, which are known at its end. They replace those of its handshake. */
  readonly session?: Pick<CallEvent, "key" | "label" | "model" | "miss">;
}

/** An answer. `outcome` is known when the headers are sent; `settled` resolves at the end. */
export interface Answer {
  readonly outcome: Outcome;
  readonly reply: WireReply;
  /** Path relative to the cassette folder, "/" between segments. */
  readonly entry?: string;
  readonly settled: Promise<Settled>;
}

/** What two requests of the same operation do not have in common, in words and by place. */
export interface Difference {
  /** JSON pointer into the request body, or "method", "path", "query" or "header". */
  readonly at: string;
  readonly kind: "changed" | "added" | "removed";
  /** The value of the nearest recording and of the call, as short text; absent where there is none. */
  readonly recorded?: string;
  readonly asked?: string;
  /** One line for a person: `temperature 0.2 → 0.7`. */
  readonly text: string;
  /** Of texts, the changed words among those around them, as git marks them: `You are [-terse-]{+brief+}.` */
  readonly marked?: string;
}

/** The recording whose request is closest to a missed call. */
export interface Nearest {
  readonly entry: string;
  readonly key: Key;
  readonly recordedAt: string;
  readonly differences: readonly Difference[];
  /** Whether it differs only in generated values, so that it answers the call. */
  readonly coincides?: boolean;
}

/** A call that no source of its mode answered, with everything needed to show and to repair it. */
export interface Miss {
  readonly key: Key;
  readonly provider: string;
  readonly operation: string;
  readonly model?: string;
  readonly label: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly body: Uint8Array;
    readonly contentType?: string;
    /** The headers that are part of the key. */
    readonly headers?: WireHeaders;
    /** Values of known origin. */
    readonly values?: readonly { readonly text: string; readonly origin: string }[];
  };
  readonly nearest?: Nearest;
  /** Recordings that were not compared, because the folder is large and there are newer ones. */
  readonly uncompared?: number;
  /** 1-based position of this call among identical calls, if others of them are recorded. */
  readonly number?: number;
  /** The position of the last recorded one. */
  readonly last?: number;
  /** MetaGPT's own cache, in which the key is missing; relative to the workspace folder. */
  readonly cacheFile?: string;
  /** The message that the client received. */
  readonly message: string;
}

/** One call and its outcome, reported after its last byte. Contains no headers and no credentials. */
export interface CallEvent extends Pick<Settled, "restored" | "failsRun" | "lost"> {
  /** Counts up from 1 within the process. */
  readonly id: number;
  /** Milliseconds since the epoch at which the call arrived. */
  readonly at: number;
  /** Milliseconds from its arrival to its last byte. */
  readonly ms: number;
  /** Milliseconds from its arrival to the first byte of the upstream's answer; absent where none was asked. */
  readonly firstByteMs?: number;
  readonly run: string;
  readonly mode: Mode;
  readonly provider: string;
  readonly operation: string;
  readonly model?: string;
  /** The call in a few words: the last user text, or what the call is. */
  readonly label: string;
  readonly outcome: Outcome;
  readonly key: Key | null;
  /** Of MetaGPT's cache as `cachedEntry` names it. */
  readonly entry: string | null;
  readonly test?: TestRef;
  readonly miss?: Miss;
  /** Why it was refused, or passed on and not recorded. */
  readonly reason?: string;
  /** What to do about `reason`, if known. */
  readonly hint?: string;
  /** The answer, if it was made up. */
  readonly madeUp?: MadeUp;
  /** The injected faults in short form: "429", "cut:10 rate:20". */
  readonly fault?: string;
  /** The HTTP status of the upstream's answer; absent if there was none. */
  readonly upstreamStatus?: number;
  /** The failure that the client got in place of an answer; absent for an answer and for a miss. */
  readonly failedWith?: CallFailure;
  /** MetaGPT's own cache, which took the call in place of Tapedeck; relative to the workspace folder. */
  readonly cacheFile?: string;
  /** The answer goes into MetaGPT's own cache, which reports a separate event. */
  readonly isKeptElsewhere?: true;
  /** Spending of this call; absent if nothing was sent. */
  readonly charge?: Spending;
  /** Spending of the run so far, including this call; absent while nothing was sent. */
  readonly spent?: Spending;
}

export interface Disposable {
  dispose(): void;
}
