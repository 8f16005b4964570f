import { localize, formatOption } from "../base/localize.ts";
import { isHeaderValue, findContentType } from "../base/wire/text.ts";
import { type NamedParameters, createRecordedRequest } from "../cassette/recorded-request.ts";
import {
  findCredential,
  spellCredentials,
  type SpelledCredential,
  redactReply,
  scanOfCall,
  withoutSecretHeaders,
} from "../secrets/guard.ts";
import type { Recording } from "../cassette/recording.ts";
import type { Clock } from "../base/clock.ts";
import { CONFIG_NAME } from "../config/config.ts";
import { listKeptHeaders } from "../protocol/kept-headers.ts";
import { redactPlaces, withoutNamed } from "../secrets/redact-call.ts";
import { findPlacedSecrets, listTextsOfRecording } from "../secrets/searched-texts.ts";
import { abbreviateSecret, type Scan } from "../secrets/scanner.ts";
import { isTapedeckError } from "../base/errors.ts";
import type { Call, WireHeaders } from "../call/call.ts";
import { pickDefined } from "../base/pick-defined.ts";
import { isLoopback, isProviderName } from "../protocol/upstream-address.ts";
import { createProviders, type ProviderTable } from "../protocol/registry.ts";
import {
  readProtocolRequest,
  readRequest,
  type RequestReading,
  type ReadRequest,
  chooseReplyFraming,
} from "../match/read-request.ts";
import { explainSessionEnd, readActivity } from "./session/session-parts.ts";
import { createTape } from "./source/tape.ts";
import { explainNotWhole, type EndedReply } from "./source/judge.ts";
import { decodeReceived, SESSION_STATUS, type CausedFrame } from "../call/transcript.ts";
import type { FoundExchange } from "../formats/import/found.ts";
import { locate, withPlainHost, type ProviderPath } from "../formats/import/locate.ts";

/** The result of importing one call of a file. */
export type ImportedCall =
  | { readonly recording: Recording }
  /** Why there is none, as the end of a sentence about the call. */
  | { readonly skipped: string; readonly isRefused?: true };

export interface ImportContext extends RequestReading {
  /** Addresses by provider that the user named. */
  readonly upstreams: Readonly<Record<string, string>>;
  /** The time of the call, if known: ISO 8601, UTC. */
  readonly recordedAt: string;
  /** Finds what looks like a secret. */
  readonly scan: Scan;
  /** Whether secrets are redacted if possible. Otherwise, calls with secrets are refused. */
  readonly redacts?: boolean;
  /** The parameters that the project names as credentials of a provider. */
  readonly named?: (provider: string) => NamedParameters;
  /** Whether responses with status 400 and above are imported, too. */
  readonly recordsErrors?: boolean;
}

/**
 * Converts a call of another recorder, whose bodies are decoded, to a recording. The rules for recording apply: the response
 * must be complete, errors are imported only if the project records them, and no credential is written. Keeps the headers of
 * the reply that clients read.
 */
export function convertToRecording(found: FoundExchange, importing: ImportContext): ImportedCall {
  const located = locateExchange(found, importing.upstreams);
  if (located === undefined) return { skipped: unknownHost(found.request.url) };
  const { method, headers, body } = found.request;
  const sent = { ...located, method, headers, body };
  const { redacts = false, recordsErrors = false } = importing;
  const named = importing.named?.(sent.provider);
  const scan = scanOfCall(importing.scan, sent.path, named);
  const plain = { ...sent, ...withoutNamed(sent, named) };
  const call = redacts ? { ...plain, ...redactPlaces(plain, scan, named) } : plain;
  let read: ReadRequest;
  let model: string | undefined;
  try {
    const providers = knowing(located.provider, importing);
    const chosen = { ...call, headers: choosing(found, providers, located) };
    read = readRequest(chosen, providers.protocolFor(chosen), {
      ...importing,
      providers,
      values: found.values,
    });
    // The first use of the facts rejects a body that the operation does not take.
    ({ model } = read.facts);
  } catch (error) {
    if (isTapedeckError(error)) return { skipped: localize("cannot be read: {0}", error.message) };
    throw error;
  }
  const { contentType } = findContentType(found.reply.headers);
  if (!isHeaderValue(contentType ?? "")) return { skipped: localize("has an invalid content type") };
  const credentials = spellCredentials({ ...sent, named });
  const replyHeaders = headersToKeep(found, { located, credentials, scan });
  const draft: Recording = {
    provider: located.provider,
    operation: read.protocol.operation,
    ...pickDefined({ model }),
    key: read.key,
    request: createRecordedRequest(call, keepsHeaders(found) ? read.headers : undefined, read.values),
    reply: {
      status: found.reply.status,
      ...pickDefined({ contentType }),
      ...(replyHeaders.length > 0 && { headers: replyHeaders }),
      body: found.reply.body,
    },
    recordedAt: importing.recordedAt,
  };
  const whole = withStreamType(draft, read, call);
  const fault = faultOf(whole, read, recordsErrors);
  if (fault !== undefined) return { skipped: incompleteText(whole, fault, recordsErrors) };
  const recording = redacts ? redactedReply(whole, sent, { read, scan }) : whole;
  return refuseSecret(recording, read, { credentials, scan, redacts }) ?? { recording };
}

/** Whether the headers of a request are known. Many recorders keep none, or only the content type. */
function keepsHeaders({ request }: FoundExchange): boolean {
  return request.headers.some(([name]) => name !== "content-type");
}

/** Returns the headers of a reply that clients read, without secrets. */
function headersToKeep(
  { request: { url }, reply }: FoundExchange,
  { located: { provider, path }, credentials, scan }: SecretSearch & { readonly located: ProviderPath },
): WireHeaders {
  const upstream = url.endsWith(path) ? url.slice(0, -path.length) : undefined;
  const kept = listKeptHeaders({ name: provider, ...pickDefined({ upstream }) }, reply.headers).filter(
    ([, value]) => isHeaderValue(value),
  );
  return withoutSecretHeaders(kept, credentials, scan);
}

/** The secrets that are removed from headers and refused elsewhere. */
interface SecretSearch extends Pick<ImportContext, "scan"> {
  readonly credentials: readonly SpelledCredential[];
}

/**
 * Adds the content type of the operation's streams to a reply without a type, if the request asked for a stream and the
 * body is not a complete response otherwise. Some recorders keep no headers, and clients need the type to read a stream.
 */
function withStreamType(
  recording: Recording,
  read: ReadRequest,
  call: Parameters<typeof readProtocolRequest>[0]["call"],
): Recording {
  const { protocol, facts } = read;
  const { reply } = recording;
  const mayStream = reply.contentType === undefined && facts.streaming && protocol.stream !== undefined;
  if (!mayStream || faultOf(recording, read) === undefined) return recording;
  const { contentType } = protocol.compose({ text: "" }, readProtocolRequest({ call, protocol }));
  return { ...recording, reply: { ...reply, contentType } };
}

function redactedReply(
  recording: Recording,
  sent: Pick<Call, "path" | "body">,
  { read: { protocol, facts }, scan }: { readonly read: ReadRequest; readonly scan: Scan },
): Recording {
  const framing = chooseReplyFraming({ protocol, facts }, recording.reply.contentType);
  const guarded = { recording, sent, framing };
  return redactReply(guarded, scan, findPlacedSecrets(listTextsOfRecording(recording, framing), scan));
}

/** Returns the provider and path of a call. Tapedeck's exports name the provider, because not every one has an address. */
function locateExchange(
  { provider, request }: FoundExchange,
  upstreams: ImportContext["upstreams"],
): ProviderPath | undefined {
  if (provider === undefined) return locate(request.url, upstreams);
  const upstream = upstreams[provider];
  const own = upstream === undefined ? undefined : locate(request.url, { [provider]: upstream });
  return own ?? { provider, path: request.url.replace(/^https?:\/\/[^/?#]*/i, "").replace(/^(?!\/)/, "/") };
}

/** Returns a table that has the provider. One that is not built in uses plain HTTP. @throws TapedeckError for an invalid name. */
function knowing(provider: string, { providers, upstreams }: ImportContext): ProviderTable {
  if (providers.get(provider) !== undefined) return providers;
  // Nothing is sent: what counts are the names.
  const names = [...Object.keys(upstreams), provider];
  return createProviders(Object.fromEntries(names.map((name) => [name, `https://${name}.invalid`])));
}

/** Returns the headers with the one that chooses the operation of the call, if an export only names that operation. */
function choosing(
  { operation, request }: FoundExchange,
  providers: ProviderTable,
  located: ProviderPath,
): WireHeaders {
  const { method, headers } = request;
  const plain = providers.protocolFor({ ...located, method, headers });
  if (operation === undefined || plain?.protocol.operation === operation) return headers;
  const meant = providers.protocolFor({ ...located, method, operation })?.protocol;
  return [...headers, ...CHOOSING.filter((one) => meant?.chosenBy?.([one]) === true)];
}

/** All headers that choose between protocols (`Protocol.chosenBy`). */
const CHOOSING = [["x-dashscope-sse", "enable"]] as const;

function unknownHost(address: string): string {
  const url = withPlainHost(address);
  if (!URL.canParse(url)) return localize('has the invalid address "{0}"', address.replace(/\?.*/s, ""));
  const { origin, protocol, hostname } = new URL(url);
  // The setting is for calls that are made, which go to no other machine unencrypted.
  const isForwardable = protocol === "https:" || isLoopback(hostname);
  const option = `--upstream ${providerNameFor(origin)}=${origin}`;
  const name = isForwardable ? formatOption(option, "tapedeck.upstreams") : option;
  return localize("is a call to {0}, which is not a known provider: name it with {1}", origin, name);
}

/** Returns a name for the provider at an address. Each host and port gets another one. */
function providerNameFor(origin: string): string {
  const { protocol, hostname, port } = new URL(origin);
  const number = port === "" && protocol === "http:" ? "80" : port;
  const host = hostname.replaceAll(/[^a-z0-9.-]+/g, "-").replaceAll(/^[.-]+|[.-]+$/g, "");
  const name = [...(host === "" ? ["host"] : [host]), ...(number === "" ? [] : [number])]
    .join("-")
    .slice(-64);
  return isProviderName(name) ? name : `host-${name}`.slice(0, 64);
}

const STILL: Clock = { now: () => 0, date: () => "", ticks: () => 0, wait: async () => {} };

function incompleteText({ reply: { status } }: Recording, fault: string, recordsErrors: boolean): string {
  const isError = status >= 400 && status < 600;
  return isError && !recordsErrors
    ? localize("has no complete response: {0} (--record-errors imports errors, too)", fault)
    : localize("has no complete response: {0}", fault);
}

/** Returns why a reply must not be recorded; undefined if it may. Uses the checks for recording. */
function faultOf(
  { provider, reply }: Recording,
  { protocol, facts }: ReadRequest,
  recordsErrors = false,
): string | undefined {
  const received = protocol.session && decodeReceived(reply.body);
  if (received !== undefined && reply.status === SESSION_STATUS)
    return explainSessionFault(received, { provider, protocol, recordsErrors });
  const framing = chooseReplyFraming({ protocol, facts }, reply.contentType);
  const tape = createTape({ framing, stream: protocol.stream }, STILL);
  tape.push(reply.body);
  tape.end();
  const streamed = framing !== undefined;
  return explainNotWhole({
    provider,
    protocol,
    status: reply.status,
    streamed,
    tape,
    cutOff: false,
    recordsErrors,
  });
}

/** Returns why a session must not be recorded, as a sentence without its period; undefined if it may. */
function explainSessionFault(
  received: readonly CausedFrame[],
  { provider, protocol, recordsErrors }: Pick<EndedReply, "provider" | "protocol" | "recordsErrors">,
): string | undefined {
  const frames = received.map(({ frame }) => frame);
  const close = frames.find((frame) => "close" in frame)?.close;
  const activity = frames.map((frame) => readActivity(frame, protocol)).findLast(Boolean);
  return explainSessionEnd(provider, { close, isReplying: activity === "begins", recordsErrors });
}

/**
 * Returns the refusal of a recording that has a credential of its call, or looks like it has another secret: many recorders
 * drop the headers that would name the credentials.
 */
function refuseSecret(
  recording: Recording,
  { protocol, facts }: ReadRequest,
  { credentials, scan, redacts }: SecretSearch & { readonly redacts: boolean },
): ImportedCall | undefined {
  const framing = chooseReplyFraming({ protocol, facts }, recording.reply.contentType);
  const texts = listTextsOfRecording(recording, framing);
  const carried = findCredential(texts, credentials);
  const [secret] = carried ? [] : findPlacedSecrets(texts, scan);
  const text =
    carried?.message ?? (secret && localize("it contains what looks like {0}", abbreviateSecret(secret)));
  if (text === undefined) return undefined;
  const advice =
    redacts || carried?.isInItsPlace === false
      ? localize("Remove it there and import again.")
      : localize('Remove it there, or set "secrets": "redact" in {0}, and import again.', CONFIG_NAME);
  return { skipped: localize("was refused: {0}. {1}", text, advice), isRefused: true };
}
