import { copyCallWith } from "../../call/call-with.ts";
import type { Answer, Call, CallEvent, Miss, Mode, Settled } from "../../call/call.ts";
import type { Socket, SocketMessage, SocketRequest } from "../../call/socket.ts";
import { encodeSent, SESSION_STATUS, type CausedFrame } from "../../call/transcript.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import { readRequest, type Exchange, type RequestReaderParts } from "../../match/read-request.ts";
import type { NearestSearch } from "../../match/nearest/nearest.ts";
import type { TapedeckError } from "../../base/errors.ts";
import type { SourceParts } from "../source/modes.ts";

/** Answers a call that asks for a WebSocket. Loaded with the first one. */
export type AnswerSession = (
  exchange: Exchange,
  request: SocketRequest,
  parts: SessionParts,
) => Promise<Answer>;

/** The engine's parts that sessions use. */
export interface SessionParts extends SourceParts, RequestReaderParts {
  /** The engine, for calls within a session. */
  readonly answer: (call: Call) => Promise<Answer>;
  /** The mode of the call. */
  readonly mode: Mode | "telemetry";
  readonly composeMiss: (
    exchange: Exchange,
    known: NearestSearch,
  ) => { readonly error: TapedeckError; readonly miss: () => Miss };
}

/** Returns the exchange of a session with the client's messages as the body of its request. */
export async function createSessionExchange(
  exchange: Exchange,
  messages: readonly SocketMessage[],
  { providers, sha256, normaliser, secrets }: SessionParts,
): Promise<Exchange> {
  const sent = withMessages(exchange.sent, messages);
  const call =
    secrets?.redact?.(withMessages(exchange.call, messages)) ?? withMessages(exchange.call, messages);
  const { provider, protocol } = exchange;
  const read = readRequest(call, { provider, protocol }, { providers, sha256, normalise: normaliser?.() });
  return {
    ...exchange,
    sent,
    call,
    key: read.key,
    get facts() {
      return read.facts;
    },
    get headers() {
      return read.headers;
    },
  };
}

const JSON_TYPE = ["content-type", "application/json"] as const;

function withMessages(call: Call, messages: readonly SocketMessage[]): Call {
  const { headers } = call;
  const body = encodeSent(messages);
  return { ...copyCallWith(call, { path: call.path, body }), headers: [...headers, JSON_TYPE] };
}

/** Returns the message as it is compared: without the secrets that the project redacts. */
export function redactMessage(
  message: SocketMessage,
  { call }: Pick<Exchange, "call">,
  { secrets }: Pick<SessionParts, "secrets">,
): SocketMessage {
  if (secrets?.redact === undefined || !("text" in message)) return message;
  const body = new TextEncoder().encode(message.text);
  const redacted = secrets.redact({ ...copyCallWith(call, { path: call.path, body }), headers: [JSON_TYPE] });
  return redacted.body === body ? message : { text: new TextDecoder().decode(redacted.body) };
}

/** Returns the facts by which reports name a session. */
export function describeSession({ key, facts }: Exchange): NonNullable<Settled["session"]> {
  return { key, label: facts.label, ...pickDefined({ model: facts.model }) } satisfies Partial<CallEvent>;
}

/** Returns the answer of a session whose handshake was accepted. */
export function createOpenedAnswer(
  outcome: Answer["outcome"],
  settled: Promise<Settled>,
  entry?: string,
): Answer {
  const reply = { status: SESSION_STATUS, headers: [], body: new Uint8Array() };
  return { outcome, reply, settled, ...pickDefined({ entry }) };
}

/** A session whose beginning was replayed, at the first message that its recording does not have. */
export interface Departed {
  readonly socket: Socket;
  readonly protocol: string | undefined;
  readonly protocols: readonly string[];
  /** All messages of the client. */
  readonly sent: readonly SocketMessage[];
  /** The frames that the client has received. */
  readonly shown: readonly CausedFrame[];
}
