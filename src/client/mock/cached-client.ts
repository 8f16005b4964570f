import type { CassetteStore } from "../../core/cassette/store.ts";
import type { Clock } from "../../core/clock.ts";
import { createEngine, type Engine } from "../../core/engine.ts";
import type { Answer, Mode, Outcome, Run } from "../../core/exchange.ts";
import type { Normaliser } from "../../core/match/key.ts";
import { createRecordedRequests } from "../../core/match/recorded-requests.ts";
import { createProviders } from "../../core/protocol/registry.ts";
import { createRun } from "../../core/runs.ts";
import type { Connect } from "../../core/source/forward.ts";
import type { ChatClient } from "../chat-client.ts";
import { checkRequest } from "../check-request.ts";
import { completing } from "../collect.ts";
import { chatError, invalid } from "../errors.ts";
import { isObject } from "../json/plain.ts";
import type { StreamEvent } from "../part-stream.ts";
import { replyEvents } from "../reply-events.ts";
import type { ChatRequest } from "../request.ts";
import { jsonSchemaOf } from "../structured-output.ts";
import { realSurroundings, type Surroundings } from "../surroundings.ts";
import { mockEvents, type MockReply } from "./mock-reply.ts";
import { sha256 } from "./sha256.ts";

export interface CachedOptions {
  /** Where the recordings are: a deck's store, or one in memory. */
  readonly store: CassetteStore;
  /** Default "strict": what is not recorded fails. */
  readonly mode?: Mode;
  /** What `tapedeck.jsonc` says: a deck's project. Without it no rules apply. */
  readonly project?: CachedProject;
  /** Which take answers a repeated request. Default: what the project says, else "takes". */
  readonly repeats?: "takes" | "same";
  /** What lenient mode answers where nothing is recorded. */
  readonly defaultReply?: MockReply;
  /** Told of what became of each call. */
  readonly onOutcome?: (outcome: Outcome, entry: string | undefined) => void;
  readonly surroundings?: Surroundings;
}

/** As much of a deck's project as a client heeds; its store must be the deck's, which finds by the same rules. */
export interface CachedProject {
  readonly current: { readonly normaliser: Normaliser | undefined };
  readonly repeats: "takes" | "same";
  /** Looks at the file, where the last look was a while ago. */
  refresh(): Promise<void> | undefined;
}

export interface CachedClient extends ChatClient {
  /** The run that the calls belong to; its mode may be changed. */
  readonly run: Run;
}

/** The name under which the recordings lie. */
const PROVIDER = "client";
const ADDRESS = "https://client.tapedeck.invalid";

/**
 * Any client, with its answers recorded by the engine: modes, takes, misses and the key are those of recorded HTTP
 * calls. A request is the same when everything in it is, except `settings.timeoutMs`, `settings.headers` and its signal;
 * whole and streamed answers are kept apart. The project's rules count as they do for HTTP calls, on the body that a
 * recording shows; those for a provider only where they name "client". An answer that fails or is cut is never recorded.
 */
export function cachedClient(inner: ChatClient, options: CachedOptions): CachedClient {
  const { mode = "strict", surroundings = realSurroundings() } = options;
  const run = createRun({ id: surroundings.id().slice(0, 8), mode });
  const pending = new Map<string, ChatRequest>();
  const { engine, dispose } = engineOver(inner, pending, { ...options, surroundings });
  const ask = async function* (request: ChatRequest, how: How): AsyncGenerator<StreamEvent, void, undefined> {
    checkRequest(request);
    const ticket = surroundings.id();
    pending.set(ticket, request);
    try {
      const answer = await engine.answer({
        provider: PROVIDER,
        method: "POST",
        path: `/${encodeURIComponent(inner.provider)}/${encodeURIComponent(inner.model)}/${how}`,
        headers: [
          ["content-type", "application/json"],
          [TICKET, ticket],
        ],
        body: new TextEncoder().encode(JSON.stringify(asked(inner, request))),
        signal: request.signal ?? new AbortController().signal,
        run,
      });
      void answer.settled.then(({ outcome, entry }) => options.onOutcome?.(outcome, entry));
      yield* eventsOf(answer);
      await answer.settled;
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
      dispose();
      await inner.close?.();
    },
  };
}

/** An engine whose only upstream is the inner client. */
function engineOver(
  inner: ChatClient,
  pending: ReadonlyMap<string, ChatRequest>,
  options: CachedOptions & { readonly surroundings: Surroundings },
): { readonly engine: Engine; readonly dispose: () => void } {
  const { store, project, repeats, surroundings, defaultReply = DEFAULT_REPLY } = options;
  const normaliser = (): Normaliser | undefined => project?.current.normaliser;
  const recorded = createRecordedRequests({ store, normaliser });
  const events = mockEvents(defaultReply, { id: "default", model: inner.model, usage: undefined });
  const lenient = { reply: JSON.stringify({ events }) };
  const engine = createEngine({
    store,
    providers: createProviders({ [PROVIDER]: ADDRESS }),
    clock: clockOf(surroundings),
    sha256,
    timing: "none",
    normaliser,
    ...(project && { prepare: () => project.refresh() }),
    repeats: () => repeats ?? project?.repeats ?? "takes",
    lenient: () => lenient,
    nearest: (exchange) => recorded.nearest(exchange),
    warn: (message) => surroundings.log({ level: "warning", message }),
    connect: async () => connectTo(inner, pending),
  });
  return { engine, dispose: () => recorded.dispose() };
}

const DEFAULT_REPLY = "This is Tapedeck's default reply: nothing is recorded for this call.";

type How = "complete" | "stream";

/** Names the request behind a call; on its way to the inner client only, since no header is ever recorded. */
const TICKET = "x-client-request";

/** The part of a request that makes it the same as another one, as data. */
function asked(inner: ChatClient, request: ChatRequest): unknown {
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
function connectTo(inner: ChatClient, pending: ReadonlyMap<string, ChatRequest>): Connect {
  return async ({ url, headers, signal }) => {
    const ticket = headers.find(([name]) => name === TICKET)?.[1] ?? "";
    const request = pending.get(ticket);
    if (request === undefined) throw new Error("the request is no longer there");
    // Whoever leaves the answer ends the request behind it too.
    const watched = {
      ...request,
      signal: AbortSignal.any([signal, ...(request.signal ? [request.signal] : [])]),
    };
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

async function* eventsOf(answer: Answer): AsyncGenerator<StreamEvent, void, undefined> {
  const { body, status } = answer.reply;
  const decoder = new TextDecoder();
  const chunks = body instanceof Uint8Array ? [body] : body;
  if (status !== 200) throw failure(await textOf(chunks), status, answer.outcome);
  let rest = "";
  for await (const chunk of chunks) {
    const texts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = texts.pop() ?? "";
    for (const text of texts) yield* eventsIn(text, answer.entry);
  }
  yield* eventsIn(rest, answer.entry);
}

/** The event of a line; the default reply has all of its events in one. */
function eventsIn(line: string, entry = "the reply"): readonly StreamEvent[] {
  if (line.trim() === "") return [];
  const read: unknown = jsonOf(line);
  const events: readonly unknown[] =
    isObject(read) && Array.isArray(read["events"]) ? read["events"] : [read];
  if (events.every(isEvent)) return events;
  throw invalid(entry, "a line of it is no event", "Correct the recording, or make it again.");
}

/** What kinds of events there are is the merger's to say. */
function isEvent(value: unknown): value is StreamEvent {
  return isObject(value) && typeof value["type"] === "string";
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function textOf(chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[]): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

function failure(body: string, status: number, outcome: Outcome): Error {
  const message = messageIn(body) ?? body;
  return chatError(outcome === "miss" ? "not-recorded" : "unknown", message, { status });
}

/** The text of a failure in the plain dialect's shape. */
function messageIn(body: string): string | undefined {
  const read = jsonOf(body);
  const error = isObject(read) ? read["error"] : undefined;
  return isObject(error) && typeof error["message"] === "string" ? error["message"] : undefined;
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
