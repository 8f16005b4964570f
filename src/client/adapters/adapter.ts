import { type Fields, isFields, readText } from "../../core/base/lenient.ts";
import { foldEvents, foldReply, type Folding } from "./fold.ts";
import { convertSdkFailure } from "./sdk-failure.ts";
import type { ChatClient } from "../chat-client.ts";
import { checkRequest } from "../check-request.ts";
import { expectOptions, type KnownOptions, createOptionChecker, loadPeer } from "../check-options.ts";
import { chatError, invalid } from "../errors.ts";
import { copyFrozen, typeName } from "../json/plain.ts";
import { createMerger, withOutput } from "../merge-pieces.ts";
import type { ChatReply, StreamEvent } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { PLACEHOLDER_KEY } from "../../core/protocol/providers.ts";
import { combineSignals } from "../wrap/time-limit.ts";
import { readEnvironmentVariables } from "../environment.ts";

/** The parts of a client that depend on the provider. */
interface Wire {
  readonly provider: string;
  readonly model: string;
  /** Writes the request in the provider's format. @throws ChatError "validation" for unsupported features */
  body(request: ChatRequest, stream: boolean): Fields;
  /** Resolves to a whole answer, or to its chunks. @throws errors of the SDK */
  send(body: Fields, limits: RequestLimits): Promise<unknown>;
  /** Returns how one answer becomes the client's, which may count its calls. */
  folding(request: ChatRequest, form: "whole" | "stream"): Folding;
}

export function createAdapter(wire: Wire): ChatClient {
  return {
    provider: wire.provider,
    model: wire.model,
    async complete(request) {
      const { raw } = await sendRequest(wire, request, false);
      try {
        const reply: ChatReply = copyFrozen({ ...foldReply(wire.folding(request, "whole"), raw), raw });
        return await withOutput(reply, request.output);
      } catch (error) {
        throw convertSdkFailure(error, wire.provider);
      }
    },
    stream: (request) => streamOf(wire, request),
  };
}

async function* streamOf(wire: Wire, request: ChatRequest): AsyncGenerator<StreamEvent, void, void> {
  const { raw, leave, signal } = await sendRequest(wire, request, true);
  try {
    const chunks = isStream(raw) ? raw : wholeAsStream(raw);
    const reader = foldEvents(wire.folding(request, "stream"));
    const merger = createMerger();
    for await (const chunk of chunks) {
      yield copyFrozen({ type: "raw" as const, chunk });
      for (const event of reader.read(chunk)) {
        if (request.output !== undefined) merger.add(event);
        yield copyFrozen(event);
      }
    }
    yield* endOf(reader, merger, request);
  } catch (error) {
    throw convertSdkFailure(error, wire.provider, signal);
  } finally {
    // Aborts the request if the consumer stops early, because not all SDKs do.
    leave();
  }
}

/** Emits the structured answer before the finish event, which is the last one. */
async function* endOf(
  reader: ReturnType<typeof foldEvents>,
  merger: ReturnType<typeof createMerger>,
  request: ChatRequest,
): AsyncGenerator<StreamEvent, void, void> {
  const events = reader.end();
  if (request.output === undefined || !events.some(({ type }) => type === "finish")) {
    yield* events.map((event) => copyFrozen(event));
    return;
  }
  for (const event of events) merger.add(event);
  const { output } = await withOutput(merger.reply(), request.output);
  yield* events.filter(({ type }) => type !== "finish").map((event) => copyFrozen(event));
  yield copyFrozen({ type: "output" as const, output });
  yield* events.filter(({ type }) => type === "finish").map((event) => copyFrozen(event));
}

interface SentChat {
  readonly raw: unknown;
  /** Aborts the request unless it has ended. */
  readonly leave: () => void;
  readonly signal: AbortSignal;
}

async function sendRequest(wire: Wire, request: ChatRequest, stream: boolean): Promise<SentChat> {
  checkRequest(request);
  const body = withExtra(wire.body(request, stream), request);
  const { headers, timeoutMs } = request.settings ?? {};
  const leaving = new AbortController();
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signal = combineSignals(leaving.signal, request.signal, late);
  try {
    return { raw: await wire.send(body, { signal, headers }), leave: () => leaving.abort(), signal };
  } catch (error) {
    throw convertSdkFailure(error, wire.provider, signal);
  }
}

function withExtra(body: Fields, { settings }: ChatRequest): Fields {
  return settings?.extra === undefined ? body : { ...body, ...settings.extra };
}

/** Rejects an answer that is not a stream, which some servers send despite the request. */
function wholeAsStream(raw: unknown): AsyncIterable<unknown> {
  const what = isFields(raw) ? "an object" : `a ${typeof raw}`;
  throw chatError("unknown", `The request asked for a stream, but the provider sent ${what}.`, {
    hint: "Call complete() instead if the server cannot stream.",
  });
}

export function isStream(value: unknown): value is AsyncIterable<unknown> {
  return isFields(value) && Symbol.asyncIterator in value;
}

export interface Connection {
  /** The engine's fetch: `deck.fetch(run)`. Without it, calls go to the provider and are not recorded. */
  readonly fetch?: typeof globalThis.fetch;
  /** Default: the provider's own environment variable. Strict and lenient runs need none. */
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further options for the SDK's client. */
  readonly clientOptions?: Readonly<Record<string, unknown>>;
}

export const CONNECTION = createOptionChecker<Connection>()("fetch apiKey baseURL headers clientOptions");

const RULES: Readonly<Record<string, readonly [what: string, holds: (value: unknown) => boolean]>> = {
  model: ["a model's name", (value) => readText(value) !== undefined],
  provider: ["a provider's name", (value) => readText(value) !== undefined],
  fetch: ["a function like fetch", (value) => typeof value === "function"],
  apiKey: ["a text", (value) => typeof value === "string"],
  baseURL: ["an address, e.g. https://api.example.com/v1", (value) => URL.canParse(String(value))],
  headers: ["an object of texts", isFields],
  clientOptions: ["an object", isFields],
  client: ["a client of the SDK", isFields],
};

/**
 * Checks an adapter's options before anything is sent. `needed` lists the required ones.
 * @throws ChatError "validation" for invalid options
 */
export function expectConnection<Options extends object>(
  options: Options,
  known: KnownOptions<Options>,
  needed: readonly string[] = ["model"],
): void {
  expectOptions(options, known);
  const given = new Map<string, unknown>(Object.entries(options));
  for (const name of new Set([...given.keys(), ...needed])) {
    const value = given.get(name);
    const isAbsent = value === undefined && !needed.includes(name);
    const rule = RULES[name];
    if (isAbsent || rule === undefined) continue;
    const [what, holds] = rule;
    if (!holds(value)) throw invalid(`options.${name}`, `${what} is expected, got ${shownValue(value)}`);
  }
}

function shownValue(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : typeName(value);
}

/** Returns a function that gives the user's client, or makes one of the SDK, which it loads with the first call. */
export function loadOnce<Module, Sdk>(
  client: Sdk | undefined,
  load: () => Promise<Module>,
  make: (module: Module) => Sdk,
): () => Promise<Sdk> {
  let loading: Promise<Sdk> | undefined;
  return async () => client ?? (loading ??= loadPeer(load).then(make));
}

export interface RequestLimits {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the given key, or the value of the first variable that is set. The default is Tapedeck's placeholder, because
 * SDKs require a key even if no call is sent.
 */
export function findKey(connection: Connection, ...variables: readonly string[]): string {
  const found = variables
    .map((name) => readEnvironmentVariables()[name])
    .find((value) => value !== undefined && value !== "");
  return connection.apiKey ?? found ?? PLACEHOLDER_KEY;
}
