import { localize } from "../../base/localize.ts";
import { plainJson } from "../../base/json/json-tree.ts";
import { readFields } from "../../base/lenient.ts";
import { copyCallWith } from "../../call/call-with.ts";
import type { Answer, Call, CallEvent, Miss, Mode, Settled, WireHeaders } from "../../call/call.ts";
import type { Socket, SocketClose, SocketMessage, SocketRequest } from "../../call/socket.ts";
import { encodeSent, SESSION_STATUS, type CausedFrame, type Frame } from "../../call/transcript.ts";
import { decodeText, encodeUtf8 } from "../../base/wire/text.ts";
import { readBody } from "../../base/read-body.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import { readRequest, type Exchange, type RequestReaderParts } from "../../match/read-request.ts";
import { readMessageJson } from "../../match/session-messages.ts";
import type { Protocol } from "../../protocol/base/protocol.ts";
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
  { providers, sha256, normalizer, secrets }: SessionParts,
): Promise<Exchange> {
  const body = encodeSent(messages);
  const sent = withJson(exchange.sent, body, exchange.sent.headers);
  const withMessages = withJson(exchange.call, body, exchange.call.headers);
  const call = secrets?.redact?.(withMessages) ?? withMessages;
  const { provider, protocol } = exchange;
  const read = readRequest(call, { provider, protocol }, { providers, sha256, normalize: normalizer?.() });
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

/** Returns the exchange of a session with the model that its first message names, if its address names none. */
export function addModel(exchange: Exchange, first: SocketMessage | undefined): Exchange {
  if (exchange.facts.model !== undefined || first === undefined) return exchange;
  const body = readBody({ body: encodeSent([first]), contentType: "application/json" });
  const { provider, path, method } = exchange.call;
  return { ...exchange, facts: exchange.protocol.facts({ provider, path, method, body }) };
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

/** Whether a frame of the server begins or ends a reply of the model; undefined if it does neither. */
export function readActivity(frame: Frame, { session }: Protocol): "begins" | "ends" | undefined {
  if (session === undefined || !("text" in frame || "bytes" in frame)) return undefined;
  const tree = readMessageJson(frame);
  return tree === undefined ? undefined : session.activity(readFields(plainJson(tree)));
}

/** Close codes of a server that are no error. */
const NORMAL = new Set([1000, 1001, 1005]);

interface EndedSession {
  /** Present if the server closed the session. */
  readonly close: SocketClose | undefined;
  /** Whether a reply of the model has begun and not ended. */
  readonly isReplying: boolean;
  readonly recordsErrors: boolean | undefined;
}

/** Returns why the end of a session must not be recorded, as a sentence without its period; undefined if it may. */
export function explainSessionEnd(
  provider: string,
  { close, isReplying, recordsErrors }: EndedSession,
): string | undefined {
  const isError = close !== undefined && !NORMAL.has(close.code);
  if (isError && recordsErrors !== true) {
    const codeText = close.reason === "" ? String(close.code) : `${close.code}: ${close.reason}`;
    return localize("{0} closed the session with code {1}", provider, codeText);
  }
  return isReplying && !isError
    ? localize("The session ended before the reply of {0} did", provider)
    : undefined;
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
export interface DepartedSession {
  readonly socket: Socket;
  readonly protocol: string | undefined;
  readonly protocols: readonly string[];
  /** All messages of the client. */
  readonly sent: readonly SocketMessage[];
  /** The frames that the client has received. */
  readonly shown: readonly CausedFrame[];
}
