import { expectClient, expectOptions, createOptionChecker } from "../check-options.ts";
import type { CassetteStore } from "../../core/cassette/store.ts";
import type { Clock } from "../../core/base/clock.ts";
import type { LenientAnswer, Repeats } from "../../core/config/config.ts";
import { createEngine, type Engine } from "../../core/answer/engine.ts";
import type { Mode, Outcome, Run, Settled, WireHeaders } from "../../core/call/call.ts";
import type { Normaliser } from "../../core/match/key/key.ts";
import { createNearestFinder } from "../../core/match/nearest/nearest.ts";
import { createRun } from "../../core/answer/runs.ts";
import type { ReplyDraft } from "../../core/protocol/base/protocol.ts";
import type { Secrets } from "../../core/secrets/guard.ts";
import { loadScanner } from "../../core/secrets/load-scanner.ts";
import type { Connect } from "../../core/answer/source/source.ts";
import type { ChatClient } from "../chat-client.ts";
import { checkRequest } from "../check-request.ts";
import { createCompleting, replyEvents } from "../merge-pieces.ts";
import { chatError } from "../errors.ts";
import type { StreamEvent } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { jsonSchemaOf } from "../structured-output.ts";
import { realSurroundings, type Surroundings } from "../surroundings.ts";
import { combineSignals } from "../wrap/time-limit.ts";
import { computeSha256 } from "../sha256.ts";
import { createLenientReplies } from "../stand-in/lenient.ts";
import { CLIENT_PROVIDER, createClientProviders, streamAnswerEvents } from "./client-protocol.ts";
import { mockEvents, type MockReply, mockOfDraft } from "./mock-reply.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

export interface CachedOptions {
  /** Store of the recordings: a deck's store, or one in memory. */
  readonly store: CassetteStore;
  /** Default "strict": calls without a recording fail. */
  readonly mode?: Mode;
  /** The deck's project with `tapedeck.jsonc`. Without it, no rules apply, and answers with secrets are not recorded. */
  readonly project?: CachedProject;
  /** Which take answers a repeated request. Default: the project's setting, or "takes". */
  readonly repeats?: Repeats;
  /** Reply of lenient mode to calls without a recording. Default: the project's setting. */
  readonly defaultReply?: MockReply;
  /** Called with the outcome of each call, and with the reason if the answer was not recorded. */
  readonly onOutcome?: (outcome: Outcome, entry: string | undefined, reason: string | undefined) => void;
  readonly surroundings?: Surroundings;
}

const CACHED_OPTIONS = createOptionChecker<CachedOptions>()(
  "store mode project repeats defaultReply onOutcome surroundings",
);

/** The parts of a deck's project that a client uses. Its store must be the deck's, which uses the same rules. */
export interface CachedProject {
  readonly current: { readonly normaliser: Normaliser | undefined };
  readonly repeats: Repeats;
  /** Reply of lenient mode to calls without a recording. The object is replaced only if it changes. */
  readonly lenient: LenientAnswer;
  /** Handling of secrets in recordings. */
  readonly secrets: Secrets;
  /** Reads the file again if it was last read a while ago. */
  refresh(): Promise<void> | undefined;
}

export interface CachedClient extends ChatClient {
  /** Run of the calls. Its mode can be changed. */
  readonly run: Run;
}

/**
 * Records and replays the answers of any client with the modes, takes, misses, and keys of HTTP calls. Two requests are
 * the same if all of their members are, except `settings.timeoutMs`, `settings.headers`, and the signal; whole and
 * streamed answers are separate. The project's rules apply to the body in the recording, and rules for a provider only if
 * they name "client". Failed and incomplete answers are never recorded. Answers with secrets are recorded only if the
 * project allows it; with the policy "fail", the call fails at its end.
 */
export function cachedClient(inner: ChatClient, options: CachedOptions): CachedClient {
  expectClient(inner);
  expectOptions(options, CACHED_OPTIONS);
  const { mode = "strict", surroundings = realSurroundings() } = options;
  const run = createRun({ id: surroundings.id().slice(0, 8), mode });
  const pending = new Map<string | undefined, ChatRequest>();
  const engine = engineOver(inner, pending, { ...options, surroundings });
  const ask = async function* (request: ChatRequest, how: How): AsyncGenerator<StreamEvent, void, undefined> {
    checkRequest(request);
    const ticket = surroundings.id();
    pending.set(ticket, request);
    try {
      const answer = await engine.answer({
        provider: CLIENT_PROVIDER,
        method: "POST",
        path: `/${encodeURIComponent(inner.provider)}/${encodeURIComponent(inner.model)}/${how}`,
        headers: [["content-type", "application/json"], [TICKET, ticket], ...credentialsIn(request)],
        body: new TextEncoder().encode(JSON.stringify(requestIdentity(inner, request))),
        signal: request.signal ?? new AbortController().signal,
        run,
      });
      void answer.settled.then((settled) =>
        options.onOutcome?.(settled.outcome, settled.entry, reasonOf(settled)),
      );
      yield* streamAnswerEvents(answer);
      const settled = await answer.settled;
      if (settled.failsRun === true) throw refusedSecret(settled);
    } finally {
      pending.delete(ticket);
    }
  };
  return {
    provider: inner.provider,
    model: inner.model,
    run,
    stream: (request) => ask(request, "stream"),
    complete: createCompleting((request) => ask(request, "complete")),
    async close() {
      await inner.close?.();
    },
  };
}

/** An engine whose only upstream is the inner client. */
function engineOver(
  inner: ChatClient,
  pending: ReadonlyMap<string | undefined, ChatRequest>,
  options: CachedOptions & { readonly surroundings: Surroundings },
): Engine {
  const { store, project, repeats, surroundings } = options;
  const normaliser = (): Normaliser | undefined => project?.current.normaliser;
  const { lenient, eventsOf: eventsOfDraft } = lenientOf(inner, options);
  return createEngine({
    store,
    providers: createClientProviders(eventsOfDraft),
    clock: clockOf(surroundings),
    sha256: computeSha256,
    timing: "none",
    normaliser,
    ...(project && { prepare: () => project.refresh() }),
    repeats: () => repeats ?? project?.repeats ?? "takes",
    lenient: createLenientReplies(lenient),
    findNearest: createNearestFinder({ store, normaliser }),
    warn: (message) => surroundings.log({ level: "warning", message }),
    secrets: project?.secrets ?? SECRETS,
    connect: async () => connectTo(inner, pending),
  });
}

/** Returns the reply of lenient mode and its events. The caller's reply can contain more than a draft. */
function lenientOf(
  inner: ChatClient,
  { defaultReply, project }: CachedOptions,
): {
  readonly lenient: () => LenientAnswer;
  readonly eventsOf: (draft: ReplyDraft) => readonly StreamEvent[];
} {
  const eventsOfReply = (reply: MockReply): readonly StreamEvent[] =>
    mockEvents(reply, { id: "default", model: inner.model, usage: undefined });
  if (defaultReply === undefined)
    return {
      lenient: () => project?.lenient ?? BY_DEFAULT,
      eventsOf: (draft) => eventsOfReply(mockOfDraft(draft)),
    };
  const events = eventsOfReply(defaultReply);
  return { lenient: () => BY_DEFAULT, eventsOf: () => events };
}

const BY_DEFAULT: LenientAnswer = {
  reply: "This is Tapedeck's default reply: nothing is recorded for this call.",
};

/** The policy for secrets without a project. */
const SECRETS: Secrets = {
  policy: () => "drop",
  scan: () => loadScanner(),
  redact: undefined,
  redactTitles: async (call) => call,
  named: () => undefined,
};

/** Returns the request's headers, in which the engine finds credentials to look for in the recording. */
function credentialsIn({ settings }: ChatRequest): WireHeaders {
  return Object.entries(settings?.headers ?? {})
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !name.startsWith("content-"));
}

function reasonOf({ reason, hint }: Settled): string | undefined {
  return reason === undefined || hint === undefined ? reason : `${reason} ${hint}`;
}

/** Makes the error of the policy "fail" for an answer with a secret. */
function refusedSecret({ reason = "The answer contains a secret.", hint }: Settled): Error {
  return chatError("validation", reason, { where: "recording", ...pickDefined({ hint }) });
}

type How = "complete" | "stream";

/** Header that links a call to its request on the way to the inner client. Headers are never recorded. */
const TICKET = "x-client-request";

/** Returns the part of a request that identifies it, as data. */
function requestIdentity(inner: ChatClient, request: ChatRequest): unknown {
  const { signal: _, output, settings, ...rest } = request;
  const { timeoutMs: _timeout, headers: _headers, ...kept } = settings ?? {};
  return {
    model: inner.model,
    ...rest,
    ...(output && { output: { ...output, schema: jsonSchemaOf(output) } }),
    ...(Object.keys(kept).length > 0 && { settings: kept }),
  };
}

/** Connects the engine to the inner client instead of a network, with one event per line. */
function connectTo(inner: ChatClient, pending: ReadonlyMap<string | undefined, ChatRequest>): Connect {
  return async ({ url, headers, signal }) => {
    const request = pending.get(headers.find(([name]) => name === TICKET)?.[1]);
    if (request === undefined) throw new Error("the request has already ended");
    // Stopping the answer also aborts the request to the inner client.
    const watched = { ...request, signal: combineSignals(signal, request.signal) };
    const events = url.endsWith("/stream") ? inner.stream(watched) : wholeAnswer(inner, watched);
    return { status: 200, headers: [["content-type", "application/x-ndjson"]], body: lines(events) };
  };
}

async function* wholeAnswer(
  inner: ChatClient,
  request: ChatRequest,
): AsyncGenerator<StreamEvent, void, undefined> {
  yield* replyEvents(await inner.complete(request));
}

/** Writes the events as lines. Raw chunks of the provider are not recorded. */
async function* lines(events: AsyncIterable<StreamEvent>): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let finished = false;
  for await (const event of events) {
    if (event.type === "raw") continue;
    finished ||= event.type === "finish";
    yield encoder.encode(`${JSON.stringify(event)}\n`);
  }
  if (!finished) throw chatError("connection", "The stream ended before the answer was finished.");
}

/** Makes a clock that does not wait, because no network is involved. */
function clockOf(surroundings: Surroundings): Clock {
  return {
    now: () => surroundings.now(),
    date: () => new Date(surroundings.now()).toISOString(),
    ticks: () => surroundings.now(),
    wait: () => Promise.resolve(),
  };
}
