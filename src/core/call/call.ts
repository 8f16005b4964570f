/** The vocabulary of the engine: a call goes in, an answer comes out, and an event tells whoever watches. */

import type { Spending } from "./spending.ts";
import type { PlannedFault } from "./mocks.ts";

/** How a run answers: the name of an ordered list of sources (see `source/modes.ts`). */
export type Mode = "strict" | "record" | "refresh" | "lenient" | "live";

export const MODES: readonly Mode[] = ["strict", "record", "refresh", "lenient", "live"];

/** A mode from outside; undefined for anything else. */
export const modeFrom = (value: unknown): Mode | undefined => MODES.find((mode) => mode === value);

/** The modes from which a call can reach a provider. */
export function canLeaveMachine(mode: Mode): boolean {
  return mode === "record" || mode === "refresh" || mode === "live";
}

/** What became of a call; the value of the `x-tapedeck-outcome` header. */
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
  /** 1-based line in `file` of the frame that led to the call, where it is known. */
  readonly line?: number;
  readonly runner?: string;
  /** Where the call was made, when that is another place than `line` (a helper). */
  readonly at?: { readonly file: string; readonly line: number };
  /** One execution of the test: the scope of the take counters. Never written to disk. */
  readonly execution?: string;
  /** Which of several tests with this name it is, or which repetition of one, from 2; absent for the first. */
  readonly trial?: number;
  /** Where the runner tells no path of titles: all of them joined by blanks. `name` then holds this one text. */
  readonly joined?: string;
  /** The runner's own id: a pytest node id or a unittest id. */
  readonly id?: string;
}

/** Where a call is among identical calls that one process makes at once, in the order in which they are made. */
export interface GroupPlace {
  /** Names the group; unique among the processes of a run. */
  readonly id: string;
  /** From 1. */
  readonly position: number;
}

/** Identical calls that were made at once. */
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

/** What is known of identical calls of one stretch, by their scope and key. */
export interface CallCounts {
  /** The highest number that an answer under way or kept was given, by key. */
  readonly numbered: Map<string, number>;
  /** Counts one call more of a name and gives its number: how many that are, or the lowest that is free. */
  count(name: string): number;
  /** Counts a call of a group: its number follows from its position, in whatever order the calls arrive. */
  countInGroup(name: string, place: GroupPlace): CountedInGroup;
  /** The next call of this name gets this number. */
  free(name: string, number: number): void;
}

/** One stretch of calls that share a token, a mode and the take counters. */
export interface Run {
  /** Names the run in events and logs; it is not the token. */
  readonly id: string;
  mode: Mode;
  /** The test this run was started for; a call with an attribution of its own overrides it. */
  readonly test?: TestRef;
  /** The cassette of its calls, where imported cassettes have different replies to one call. */
  readonly cassette?: string;
  /** Keys that the next call answers in another mode than the run's: re-recording one call. */
  readonly overrides: Map<Key, Mode>;
  /** Identical calls so far, by scope and key. Another object where a new stretch begins. */
  counts: CallCounts;
  /** Keys of which this run made the first take. */
  readonly firstRecorded: Set<string>;
  /** What goes wrong on purpose in this run, in place of what the project plans. It records nothing. */
  readonly faults?: readonly PlannedFault[];
  /** Set once its own tests asked something of its mocks, which may be faults. */
  isAsking?: boolean;
  /** What its calls took so far. Another object where a new stretch begins: calls under way still count for the old one. */
  spent: { total: Spending };
}

/** One request as it reached us, credentials and all. It never outlives its answer. */
export interface Call {
  /** The address's path segment, e.g. "openai". */
  readonly provider: string;
  readonly method: string;
  /** The provider's own path and query, e.g. "/v1/messages?beta=true". */
  readonly path: string;
  readonly headers: WireHeaders;
  /** The content type among `headers`, where it was read already; "" where there is none. */
  readonly contentType?: string;
  readonly body: Uint8Array;
  /** What stands for the provider's address in this client's: `http://127.0.0.1:PORT/TOKEN/openai`; absent where it has none. */
  readonly base?: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  readonly run: Run;
  /** What let it in, where it came over an address that has one: looked for in what is to be written, as other credentials are. */
  readonly token?: string;
  /** The address that its client chose, where it goes on to that and not to the provider's: `https://eu.api.openai.com`. With a path only where the user's environment named it. */
  readonly origin?: string;
  readonly test?: TestRef;
  /** Present if the hooks in its process know it. */
  readonly groupPlace?: GroupPlace;
  /** The cassette that this call names, in place of its run's. */
  readonly cassette?: string;
  /** MetaGPT's own cache keeps the answer: in modes that send calls, the call is forwarded and not recorded. */
  readonly isKeptElsewhere?: true;
}

/**
 * Copies a call with another path and body, and optionally another provider or test. Members of a call may be getters
 * of its class, so spreading it would lose them: each member is read here, and `signal` only on access.
 */
export function callWith(
  call: Call,
  {
    path,
    body,
    provider = call.provider,
    test = call.test,
  }: Pick<Call, "path" | "body"> & Partial<Pick<Call, "provider" | "test">>,
): Call {
  const { method, headers, run, token, origin, cassette } = call;
  return {
    provider,
    method,
    path,
    headers,
    body,
    get signal() {
      return call.signal;
    },
    run,
    ...(token !== undefined && { token }),
    ...(origin !== undefined && { origin }),
    ...(test !== undefined && { test }),
    ...(cassette !== undefined && { cassette }),
  };
}

/** What goes to the client. A body that is not bytes can be read once; leaving the loop early releases its source. */
export interface WireReply {
  readonly status: number;
  /** The reason phrase, if it differs from the standard one for the status. */
  readonly statusText?: string | undefined;
  readonly headers: WireHeaders;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** An answer that nobody recorded. */
export interface MadeUpReply {
  /** Who made it up: "the default reply", "reply 2 of the script". */
  readonly by: string;
  readonly reply: { readonly status: number; readonly contentType?: string; readonly body: Uint8Array };
}

/** A made-up answer with the call that it was given to. */
export interface MadeUp extends MadeUpReply {
  readonly call: Miss;
}

/** How a call ended once its last byte is out. `reason` says why a reply was passed on but not kept. */
export interface Settled {
  readonly outcome: Outcome;
  readonly entry?: string;
  readonly reason?: string;
  /** What to do about it, where a failure of the catalogue says so. */
  readonly hint?: string;
  /** The project wants a run to fail in which this happens. */
  readonly failsRun?: boolean;
  /** Why the recording could not be written, in record or refresh mode. A run fails that lost one. */
  readonly lost?: string;
  /** Set where the answer was made up. */
  readonly madeUp?: MadeUpReply;
  /** What went wrong with it on purpose, in short: "429", "cut:10 rate:20". */
  readonly fault?: string;
  /** The status of the upstream's answer, where there was one. */
  readonly upstreamStatus?: number;
  /** The status of the failure that the client got in place of an answer. */
  readonly failedWith?: number;
  /** What the call took; absent where nothing was sent. */
  readonly charge?: () => Spending;
  /** The clock's ticks at the first byte of the upstream's answer. */
  readonly firstByteTicks?: number;
}

/** An answer. `outcome` is what is known when the headers go out; `settled` what is true at the end. */
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

/** The first turn at which a conversation is another one than the recorded one. */
export interface Departure {
  /** Among the turns, from 0. */
  readonly index: number;
  /** Whose turn it is; "" where that is not said. */
  readonly role: string;
  /** The turn: "messages[2] (user)". */
  readonly place: string;
  /** One line for a person: the place, and what is otherwise there. */
  readonly text: string;
}

/** The recording that asked for what is closest to a missed call. */
export interface Nearest {
  readonly entry: string;
  readonly key: Key;
  readonly recordedAt: string;
  readonly differences: readonly Difference[];
  /** In conversations of several turns. */
  readonly departure?: Departure;
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
    /** Those that take part in the key. */
    readonly headers?: WireHeaders;
  };
  readonly nearest?: Nearest;
  /** Recordings that were not compared, because the folder is large and there are newer ones. */
  readonly uncompared?: number;
  /** The how-manyth identical call it is, where others of them are recorded. */
  readonly number?: number;
  /** The last of them that is recorded. */
  readonly last?: number;
  /** MetaGPT's own cache, in which the key is missing; relative to the workspace folder. */
  readonly cacheFile?: string;
  /** The message that the client received. */
  readonly message: string;
}

/** One call and what became of it, told after its last byte. Holds no header and no credential. */
export interface CallEvent {
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
  /** What to do about `reason`, where that is known. */
  readonly hint?: string;
  /** Whether the run has failed by it, although the call was answered. */
  readonly failsRun?: boolean;
  /** Why its recording could not be written, which fails the run as well. */
  readonly lost?: string;
  /** The answer where it was made up. */
  readonly madeUp?: MadeUp;
  /** What went wrong with it on purpose, in short: "429", "cut:10 rate:20". */
  readonly fault?: string;
  /** The HTTP status with which the upstream answered; absent where none did. */
  readonly upstreamStatus?: number;
  /** The status of the failure that the client got in place of an answer; absent for an answer and for a miss. */
  readonly failedWith?: number;
  /** MetaGPT's own cache, which took the call in place of Tapedeck; relative to the workspace folder. */
  readonly cacheFile?: string;
  /** The answer goes into MetaGPT's own cache, which reports a separate event. */
  readonly isKeptElsewhere?: true;
  /** What this call took; absent where nothing was sent. */
  readonly charge?: Spending;
  /** What the run took so far, this call included; absent while nothing was sent. */
  readonly spent?: Spending;
}

export interface Disposable {
  dispose(): void;
}
