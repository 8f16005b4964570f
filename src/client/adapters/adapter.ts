import { type Fields, isFields, textIn } from "../../core/base/lenient.ts";
import type { ChunkReader } from "./fold.ts";
import { sdkFailure } from "./sdk-failure.ts";
import type { ChatClient } from "../chat-client.ts";
import { checkRequest } from "../check-request.ts";
import { expectOptions, type KnownOptions, optionsOf } from "../check-options.ts";
import { chatError, invalid } from "../errors.ts";
import { frozenCopy, typeName } from "../json/plain.ts";
import { createMerger, withOutput } from "../merge-pieces.ts";
import type { ChatReply, StreamEvent } from "../reply.ts";
import type { ChatRequest } from "../request.ts";
import { PLACEHOLDER_KEY } from "../../core/protocol/providers.ts";
import { anySignal } from "../wrap/time-limit.ts";
import { environmentVariables } from "../environment.ts";

/** What is known of one provider's wire; the rest of a client is the same for all. */
interface Wire {
  readonly provider: string;
  readonly model: string;
  /** The request in the provider's words. @throws ChatError "validation" for what the provider cannot do. */
  body(request: ChatRequest, stream: boolean): Fields;
  /** Resolves to a whole answer, or to its chunks. Throws what the SDK throws. */
  send(body: Fields, limits: RequestLimits): Promise<unknown>;
  /** @throws ChatError where the answer is a failure, or nothing. */
  reply(raw: unknown, request: ChatRequest): ChatReply;
  chunks(request: ChatRequest): ChunkReader;
}

export function createAdapter(wire: Wire): ChatClient {
  return {
    provider: wire.provider,
    model: wire.model,
    async complete(request) {
      const { raw } = await sendRequest(wire, request, false);
      try {
        const reply: ChatReply = frozenCopy({ ...wire.reply(raw, request), raw });
        return await withOutput(reply, request.output);
      } catch (error) {
        throw sdkFailure(error, wire.provider);
      }
    },
    stream: (request) => streamOf(wire, request),
  };
}

async function* streamOf(wire: Wire, request: ChatRequest): AsyncGenerator<StreamEvent, void, void> {
  const { raw, leave, signal } = await sendRequest(wire, request, true);
  try {
    const chunks = isStream(raw) ? raw : wholeAsStream(raw);
    const reader = wire.chunks(request);
    const merger = createMerger();
    for await (const chunk of chunks) {
      yield frozenCopy({ type: "raw" as const, chunk });
      for (const event of reader.read(chunk)) {
        if (request.output !== undefined) merger.add(event);
        yield frozenCopy(event);
      }
    }
    yield* endOf(reader, merger, request);
  } catch (error) {
    throw sdkFailure(error, wire.provider, signal);
  } finally {
    // Whoever leaves early ends the request; SDKs differ in what they do about it.
    leave();
  }
}

/** The structured answer is told before the end, because nothing is told after it. */
async function* endOf(
  reader: ChunkReader,
  merger: ReturnType<typeof createMerger>,
  request: ChatRequest,
): AsyncGenerator<StreamEvent, void, void> {
  const events = reader.end();
  if (request.output === undefined || !events.some(({ type }) => type === "finish")) {
    yield* events.map((event) => frozenCopy(event));
    return;
  }
  for (const event of events) merger.add(event);
  const { output } = await withOutput(merger.reply(), request.output);
  yield* events.filter(({ type }) => type !== "finish").map((event) => frozenCopy(event));
  yield frozenCopy({ type: "output" as const, output });
  yield* events.filter(({ type }) => type === "finish").map((event) => frozenCopy(event));
}

interface SentChat {
  readonly raw: unknown;
  /** Ends the request, where it has not ended. */
  readonly leave: () => void;
  readonly signal: AbortSignal;
}

async function sendRequest(wire: Wire, request: ChatRequest, stream: boolean): Promise<SentChat> {
  checkRequest(request);
  const body = withExtra(wire.body(request, stream), request);
  const { headers, timeoutMs } = request.settings ?? {};
  const leaving = new AbortController();
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signal = anySignal(leaving.signal, request.signal, late);
  try {
    return { raw: await wire.send(body, { signal, headers }), leave: () => leaving.abort(), signal };
  } catch (error) {
    throw sdkFailure(error, wire.provider, signal);
  }
}

function withExtra(body: Fields, { settings }: ChatRequest): Fields {
  return settings?.extra === undefined ? body : { ...body, ...settings.extra };
}

/** A server may answer a request for a stream with one object: that is no stream. */
function wholeAsStream(raw: unknown): AsyncIterable<unknown> {
  const what = isFields(raw) ? "an object" : `a ${typeof raw}`;
  throw chatError("unknown", `A stream was asked for, and ${what} came.`, {
    hint: "Ask with complete() instead, if the server cannot stream.",
  });
}

export function isStream(value: unknown): value is AsyncIterable<unknown> {
  return isFields(value) && Symbol.asyncIterator in value;
}

export interface Connection {
  /** The engine's: `deck.fetch(run)`. Without it calls go to the provider, unseen and unrecorded. */
  readonly fetch?: typeof globalThis.fetch;
  /** Default: the provider's own environment variable. Strict and lenient runs need none. */
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further options of the SDK's client, as it names them. */
  readonly clientOptions?: Readonly<Record<string, unknown>>;
}

export const CONNECTION = optionsOf<Connection>()("fetch apiKey baseURL headers clientOptions");

const IS: Readonly<Record<string, readonly [what: string, holds: (value: unknown) => boolean]>> = {
  model: ["a model's name", (value) => textIn(value) !== undefined],
  provider: ["a provider's name", (value) => textIn(value) !== undefined],
  fetch: ["a function like fetch", (value) => typeof value === "function"],
  apiKey: ["a text", (value) => typeof value === "string"],
  baseURL: ["an address, e.g. https://api.example.com/v1", (value) => URL.canParse(String(value))],
  headers: ["an object of texts", isFields],
  clientOptions: ["an object", isFields],
  client: ["a client of the SDK", isFields],
};

/**
 * `needed` are the options that an adapter cannot do without.
 * @throws ChatError "validation" for options that an adapter cannot be made of, before anything is sent
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
    const isLeftOut = value === undefined && !needed.includes(name);
    const is = IS[name];
    if (isLeftOut || is === undefined) continue;
    const [what, holds] = is;
    if (!holds(value)) throw invalid(`options.${name}`, `${what} is expected, got ${shownValue(value)}`);
  }
}

function shownValue(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : typeName(value);
}

/** An SDK, or the user's own client of it, when the first call needs it: until then its package need not be there. */
export function whenNeeded<Sdk>(own: Sdk | undefined, load: () => Promise<Sdk>): () => Promise<Sdk> {
  let loading: Promise<Sdk> | undefined;
  return async () => own ?? (loading ??= load());
}

export interface RequestLimits {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The key that was given, or the first of these variables that is set. SDKs insist on one even where nothing is sent:
 * then it is the engine's placeholder.
 */
export function keyFor(connection: Connection, ...variables: readonly string[]): string {
  const found = variables
    .map((name) => environmentVariables()[name])
    .find((value) => value !== undefined && value !== "");
  return connection.apiKey ?? found ?? PLACEHOLDER_KEY;
}
