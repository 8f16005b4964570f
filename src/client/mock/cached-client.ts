import { expectClient, expectOptions, optionsOf } from "../check-options.ts";
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
import { completing, replyEvents } from "../merge-pieces.ts";
import { chatError } from "../errors.ts";
import type { StreamEvent } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { jsonSchemaOf } from "../structured-output.ts";
import { realSurroundings, type Surroundings } from "../surroundings.ts";
import { anySignal } from "../wrap/time-limit.ts";
import { sha256 } from "../sha256.ts";
import { lenientReplies } from "../stand-in/lenient.ts";
import { CLIENT_PROVIDER, clientProviders, eventsOf } from "./client-protocol.ts";
import { mockEvents, type MockReply, mockOfDraft } from "./mock-reply.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

export interface CachedOptions {
  /** Where the recordings are: a deck's store, or one in memory. */
  readonly store: CassetteStore;
  /** Default "strict": what is not recorded fails. */
  readonly mode?: Mode;
  /** What `tapedeck.jsonc` says: a deck's project. Without it no rules apply, and no answer with a secret is recorded. */
  readonly project?: CachedProject;
  /** Which take answers a repeated request. Default: what the project says, else "takes". */
  readonly repeats?: Repeats;
  /** What lenient mode answers where nothing is recorded. Default: what the project says. */
  readonly defaultReply?: MockReply;
  /** Told of what became of each call, and why, where there is something to say: an answer that was not recorded. */
  readonly onOutcome?: (outcome: Outcome, entry: string | undefined, reason: string | undefined) => void;
  readonly surroundings?: Surroundings;
}

const CACHED_OPTIONS = optionsOf<CachedOptions>()(
  "store mode project repeats defaultReply onOutcome surroundings",
);

/** As much of a deck's project as a client heeds; its store must be the deck's, which finds by the same rules. */
export interface CachedProject {
  readonly current: { readonly normaliser: Normaliser | undefined };
  readonly repeats: Repeats;
  /** What lenient mode answers where nothing is recorded; the same object for as long as it is the same. */
  readonly lenient: LenientAnswer;
  /** What is done about secrets in what is to be recorded. */
  readonly secrets: Secrets;
  /** Looks at the file, where the last look was a while ago. */
  refresh(): Promise<void> | undefined;
}

export interface CachedClient extends ChatClient {
  /** The run that the calls belong to; its mode may be changed. */
  readonly run: Run;
}

/**
 * Any client, with its answers recorded by the engine: modes, takes, misses and the key are those of recorded HTTP
 * calls. A request is the same when everything in it is, except `settings.timeoutMs`, `settings.headers` and its signal;
 * whole and streamed answers are kept apart. The project's rules count as they do for HTTP calls, on the body that a
 * recording shows; those for a provider only where they name "client". An answer that fails or is cut is never recorded,
 * nor is one with a secret, unless the project says otherwise; where it says "fail", the call fails in the end.
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
      yield* eventsOf(answer);
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
    complete: completing((request) => ask(request, "complete")),
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
    providers: clientProviders(eventsOfDraft),
    clock: clockOf(surroundings),
    sha256,
    timing: "none",
    normaliser,
    ...(project && { prepare: () => project.refresh() }),
    repeats: () => repeats ?? project?.repeats ?? "takes",
    lenient: lenientReplies(lenient),
    findNearest: createNearestFinder({ store, normaliser }),
    warn: (message) => surroundings.log({ level: "warning", message }),
    secrets: project?.secrets ?? SECRETS,
    connect: async () => connectTo(inner, pending),
  });
}

/** What lenient mode answers, and the events that become of it: the caller's own reply may be more than a draft. */
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

/** Headers are never recorded; a credential among them is looked for in what is. What the body is, is not theirs to say. */
function credentialsIn({ settings }: ChatRequest): WireHeaders {
  return Object.entries(settings?.headers ?? {})
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !name.startsWith("content-"));
}

function reasonOf({ reason, hint }: Settled): string | undefined {
  return reason === undefined || hint === undefined ? reason : `${reason} ${hint}`;
}

/** The answer was given, but whoever says "fail" must not go on as if all was well. */
function refusedSecret({ reason = "The answer holds a secret.", hint }: Settled): Error {
  return chatError("validation", reason, { where: "recording", ...pickDefined({ hint }) });
}

type How = "complete" | "stream";

/** Names the request behind a call; on its way to the inner client only, since no header is ever recorded. */
const TICKET = "x-client-request";

/** The part of a request that makes it the same as another one, as data. */
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

/** The inner client in the place of a network: its events go out one a line. */
function connectTo(inner: ChatClient, pending: ReadonlyMap<string | undefined, ChatRequest>): Connect {
  return async ({ url, headers, signal }) => {
    const request = pending.get(headers.find(([name]) => name === TICKET)?.[1]);
    if (request === undefined) throw new Error("the request is no longer there");
    // Whoever leaves the answer ends the request behind it too.
    const watched = { ...request, signal: anySignal(signal, request.signal) };
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

/** What a provider sent besides is its own and not kept. */
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

/** Nothing here waits for a wire, so time stands still within a call. */
function clockOf(surroundings: Surroundings): Clock {
  return {
    now: () => surroundings.now(),
    date: () => new Date(surroundings.now()).toISOString(),
    ticks: () => surroundings.now(),
    wait: () => Promise.resolve(),
  };
}
