import { copyCallWith } from "../../call/call-with.ts";
import type { Answer, Call, CallEvent, Miss, Mode, Settled, WireHeaders } from "../../call/call.ts";
import type { Socket, SocketMessage, SocketRequest } from "../../call/socket.ts";
import { encodeSent, SESSION_STATUS, type CausedFrame } from "../../call/transcript.ts";
import { decodeText, encodeUtf8 } from "../../base/wire/text.ts";
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
  const body = encodeSent(messages);
  const sent = withJson(exchange.sent, body, exchange.sent.headers);
  const withMessages = withJson(exchange.call, body, exchange.call.headers);
  const call = secrets?.redact?.(withMessages) ?? withMessages;
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

/** Returns the call with JSON as its body, and with these headers. */
export function withJson(call: Call, body: Uint8Array, headers: WireHeaders = []): Call {
  const withBody = copyCallWith(call, { path: call.path, body });
  return { ...withBody, headers: [...headers, ["content-type", "application/json"]] };
}

/** Returns the message as it is compared: without the secrets that the project redacts. */
export function redactMessage(
  message: SocketMessage,
  { call }: Pick<Exchange, "call">,
  { secrets }: Pick<SessionParts, "secrets">,
): SocketMessage {
  if (secrets?.redact === undefined || !("text" in message)) return message;
  const body = encodeUtf8(message.text);
  const redacted = secrets.redact(withJson(call, body));
  return redacted.body === body ? message : { text: decodeText(redacted.body) };
}

/** Returns the facts by which reports name a session. */
export function describeSession({
  key,
  facts,
}: Pick<Exchange, "key" | "facts">): NonNullable<Settled["session"]> {
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

/** Maximum bytes of the reason in a close frame. Source: RFC 6455, 5.5. */
const MOST_REASON_BYTES = 123;

/** Returns the first line of a text, shortened to fit into a close frame. */
export function writeCloseReason(text: string): string {
  let [line = ""] = text.split("\n");
  while (encodeUtf8(line).byteLength > MOST_REASON_BYTES) line = `${Array.from(line).slice(0, -2).join("")}…`;
  return line;
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
