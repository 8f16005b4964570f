import { localize, joinSentences } from "../../base/localize.ts";
import { type CarriedBy, isAmbiguous, createRecordedRequest } from "../../cassette/recorded-request.ts";
import {
  findCredential,
  spellCredentials,
  type FoundCredential,
  type SpelledCredential,
  guardRecording,
  withoutSecretHeaders,
  type GuardedRecording,
  type Secrets,
} from "../../secrets/guard.ts";
import type { Recording } from "../../cassette/recording.ts";
import type { TestRef } from "../../call/call.ts";
import type { Clock } from "../../base/clock.ts";
import { CONFIG_NAME, type RecordRules } from "../../config/config.ts";
import { explain } from "../../base/errors.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import { listKeptHeaders } from "../../protocol/kept-headers.ts";
import type { Protocol } from "../../protocol/base/protocol.ts";
import { readFields, isText, tryParsePlainJson } from "../../base/lenient.ts";
import { redactTexts } from "../../secrets/redact-call.ts";
import type { Scan } from "../../secrets/scanner.ts";
import { listTextsOfRecording } from "../../secrets/searched-texts.ts";
import { cutText, makeVisibleLine } from "../../base/visible.ts";
import { isHeaderValue } from "../../base/wire/text.ts";
import type { Framing } from "../../base/wire/framing.ts";
import type { RelatedCalls } from "./related-calls.ts";
import type { IncomingReply } from "./source.ts";
import type { Exchange } from "../../match/read-request.ts";
import { KEPT_LIMIT_BYTES, type StreamTape } from "./tape.ts";

/** The dependencies of `judge`. */
export interface JudgingParts {
  readonly clock: Pick<Clock, "date">;
  /** The project's handling of secrets in recordings. Without it, only the call's own credentials are searched for. */
  readonly secrets?: Secrets;
  /** Returns the project's rules for recording; called for every answer. */
  readonly record?: () => RecordRules;
}

/** An answer that has ended, and the call that got it. */
export interface EndedAnswer {
  readonly parts: JudgingParts;
  readonly exchange: Omit<Exchange, "ordinal">;
  readonly incoming: Pick<IncomingReply, "status" | "statusText" | "headers">;
  readonly tape: EndedReply["tape"] & Pick<StreamTape, "waitsMs" | "after">;
  /** The requests that an event stream reports on. */
  readonly related?: RelatedCalls | undefined;
  /** Whether it is an event stream without an end. */
  readonly isEndless?: boolean;
  /** Whether its client left an event stream without an end. */
  readonly isLeft?: boolean;
  readonly type: string | undefined;
  /** The framing of the stream; undefined if it is not a stream. */
  readonly framing: Framing | undefined;
  /** Whether its connection broke off. */
  readonly cutOff: boolean;
  /** Whether an earlier identical call of the run has a take. If so, an error is recorded too, for the next replay. */
  readonly followsTake: () => boolean;
}

/** The parts of an answer that its recording has. */
export type GuardedAnswer = Omit<EndedAnswer, "tape" | "cutOff" | "followsTake"> & {
  readonly tape: Pick<StreamTape, "body" | "waitsMs" | "after">;
};

/** The recording of an answer, or the reason why it must not be written. */
export type Judgement =
  | { readonly recording: Recording }
  /** The answer is incomplete or not meant for recording, which needs no warning. */
  | { readonly fault: string }
  /** The answer must not be written, for example because it holds a secret; the user gets a warning. */
  | { readonly refusal: string; readonly hint?: string; readonly fails?: boolean };

/** Checks that an answer is complete and holds no secret, and returns its recording if so. */
export async function judge(ended: EndedAnswer): Promise<Judgement> {
  const { exchange, parts, incoming, tape, cutOff } = ended;
  const { provider, protocol } = exchange;
  const fault = explainNotWhole({
    provider: provider.name,
    protocol,
    status: incoming.status,
    streamed: ended.framing !== undefined,
    isEndless: ended.isEndless === true,
    tape,
    cutOff,
    recordsErrors:
      parts.record?.().errors === true ||
      (incoming.status >= 400 && !isSentAgain(incoming.status) && ended.followsTake()),
  });
  if (fault !== undefined) {
    const words = await refusalOf(ended);
    return { fault: words === "" ? fault : localize("{0}: {1}", fault, words) };
  }
  return guardAnswer(ended);
}

/** Searches the recording of a complete answer for secrets, and returns it if it may be written. */
export async function guardAnswer(
  ended: GuardedAnswer,
): Promise<Exclude<Judgement, { readonly fault: string }>> {
  const { exchange, parts } = ended;
  const { provider } = exchange;
  const guarded = await guard(ended);
  if ("found" in guarded) {
    const { found, hint, fails } = guarded;
    return { refusal: localize("The response was not recorded: {0}.", found), hint, fails };
  }
  const credentials = spellCredentials(carriedBy(ended));
  const shown = await secretRequestHeader(guarded.recording, parts);
  if (shown !== undefined)
    return {
      refusal: localize("The response was not recorded: the request header {0} contains a secret.", shown),
    };
  const recording = await guardHeaders(guarded.recording, credentials, parts);
  const leak = findCredential(guarded.texts, credentials);
  if (leak === undefined) return { recording };
  const isNamed = leak.isInItsPlace && parts.secrets?.policy() !== "redact";
  const hint = isNamed ? hintFor(leak, provider.name) : undefined;
  return {
    refusal: localize("The response was not recorded: {0}. Remove it there and record again.", leak.message),
    ...(hint !== undefined && { hint }),
  };
}

/** Returns a hint with the settings that allow recording when the credential is in the query or body of the request. */
function hintFor({ parameter }: FoundCredential, provider: string): string {
  const redacts = localize(
    'Set "secrets": "redact" in {0} to record the call without it, under another key.',
    CONFIG_NAME,
  );
  if (parameter === undefined) return redacts;
  const leftOut = localize(
    'Set "credentials": {"{0}":["{1}"]} there to leave it out of keys and recordings.',
    provider,
    parameter,
  );
  const isNone = localize('Set "credentials": {"{0}":[]} there if it is not a credential.', provider);
  return joinSentences(redacts, leftOut, isAmbiguous(parameter) ? isNone : "");
}

/** Searches a recording for secrets. If the scanner fails, nothing is written. */
async function guard(ended: GuardedAnswer): Promise<GuardedRecording> {
  const { exchange, parts, framing } = ended;
  const recording = recordingOf(ended);
  if (parts.secrets === undefined) return { recording, texts: listTextsOfRecording(recording, framing) };
  try {
    return await guardRecording({ recording, sent: exchange.sent, framing }, parts.secrets);
  } catch (error) {
    const found = localize("it could not be searched for secrets ({0})", explain(error));
    return {
      found,
      hint: localize("This is a bug in Tapedeck; please report it with the log."),
      fails: false,
    };
  }
}

/** Returns the provider's error message for a refused call. */
async function refusalOf(ended: EndedAnswer): Promise<string> {
  const { incoming, tape } = ended;
  if (incoming.status < 400 || tape.sizeBytes > REFUSAL_BYTES) return "";
  return describeRefusal(tape.body(), spellCredentials(carriedBy(ended)), await loadScan(ended.parts));
}

/** Returns the search for secrets; undefined if the project allows them. */
const loadScan = async ({ secrets }: Pick<JudgingParts, "secrets">): Promise<Scan | undefined> =>
  secrets?.policy() === "allow" ? undefined : await secrets?.scan();

function carriedBy({ exchange: { sent }, parts }: Pick<EndedAnswer, "exchange" | "parts">): CarriedBy {
  const { provider, headers, path, body, token } = sent;
  return { provider, headers, path, body, token, named: parts.secrets?.named(provider) };
}

/** The name of a header of the request's key that the scanner finds a secret in; it cannot be left out of the key. */
async function secretRequestHeader(
  { request: { headers = [] } }: Recording,
  parts: JudgingParts,
): Promise<string | undefined> {
  const scan = headers.length === 0 ? undefined : await loadScan(parts);
  if (scan === undefined) return undefined;
  const left = withoutSecretHeaders(headers, [], scan);
  return headers.find((header) => !left.includes(header))?.[0];
}

/** Removes headers that hold a credential of the call or a secret; the answer is still recorded. */
async function guardHeaders(
  recording: Recording,
  credentials: readonly SpelledCredential[],
  parts: JudgingParts,
): Promise<Recording> {
  const { headers: kept, ...reply } = recording.reply;
  if (kept === undefined) return recording;
  const headers = withoutSecretHeaders(kept, credentials, await loadScan(parts));
  return { ...recording, reply: { ...reply, ...(headers.length > 0 && { headers }) } };
}

function recordingOf({ exchange, incoming, tape, type, framing, parts, ...ended }: GuardedAnswer): Recording {
  const after = ended.related && countCauses(ended.related, tape.after, ended.isLeft);
  const { call, key, provider, protocol, facts } = exchange;
  const lengths =
    call.method === "HEAD" ? incoming.headers.filter(([name]) => name === "content-length") : [];
  const headers = [
    ...listKeptHeaders(provider, incoming.headers, parts.record?.().withoutHeaders),
    ...lengths,
  ].filter(([, value]) => isHeaderValue(value));
  return {
    provider: provider.name,
    operation: protocol.operation,
    ...(facts.model !== undefined && { model: facts.model }),
    key,
    request: createRecordedRequest(call, exchange.headers, exchange.values),
    reply: {
      status: incoming.status,
      ...(incoming.statusText !== undefined && { statusText: incoming.statusText }),
      ...(type !== undefined && { contentType: type }),
      ...(headers.length > 0 && { headers }),
      body: tape.body(),
      ...(framing !== undefined && { waitsMs: [...tape.waitsMs] }),
      ...(after !== undefined && { after }),
    },
    recordedAt: parts.clock.date(),
    ...(provider.isUsersOwn === true &&
      provider.upstream !== undefined && { origin: new URL(provider.upstream).origin }),
    ...(call.test !== undefined && { test: storedTest(call.test) }),
  };
}

/**
 * Returns the number of recorded requests before each event, and before the end of a stream that its server ended.
 * Undefined if such a stream waited for none.
 */
function countCauses(
  related: RelatedCalls,
  after: readonly number[],
  isLeft = false,
): readonly number[] | undefined {
  const counts = (isLeft ? after : [...after, related.count]).map((count) => related.countRecorded(count));
  return isLeft || counts.at(-1) !== 0 ? counts : undefined;
}

/** Returns the fields of a test that are stored: all except the execution, which would differ in every recording. */
function storedTest({ file, name, line, runner, trial }: TestRef): TestRef {
  return { file, name, ...pickDefined({ line, runner, trial }) };
}

/** The parts of a finished reply that decide whether it may be recorded. */
export interface EndedReply {
  readonly provider: string;
  readonly protocol: Protocol;
  readonly status: number;
  readonly streamed: boolean;
  readonly tape: Pick<StreamTape, "body" | "failed" | "fault" | "over" | "sizeBytes" | "terminal">;
  /** Whether its connection broke off. */
  readonly cutOff: boolean;
  /** Whether it is an event stream without an end. */
  readonly isEndless?: boolean;
  /** Whether the project records errors, too. */
  readonly recordsErrors?: boolean;
}

/**
 * Whether a call that got this status is sent again: users correct a rejected key, and SDKs retry the other statuses.
 */
export function isSentAgain(status: number): boolean {
  return status >= 500 || SENT_AGAIN.has(status);
}

const SENT_AGAIN: ReadonlySet<number> = new Set([401, 402, 403, 408, 409, 425, 429]);

/** Returns why an answer must not be recorded, as a sentence without its period; undefined if it is complete. */
export function explainNotWhole({
  provider,
  protocol,
  status,
  streamed,
  tape,
  cutOff,
  isEndless = false,
  recordsErrors = false,
}: EndedReply): string | undefined {
  const isError = status >= 400 && status < 600;
  if (!Number.isInteger(status) || status < 200 || (status >= 400 && !(isError && recordsErrors)))
    return localize("{0} answered with status {1}", provider, status);
  if (cutOff && !tape.over)
    return localize("The connection to {0} closed before the end of the response", provider);
  if (tape.sizeBytes > KEPT_LIMIT_BYTES) return localize("The response is larger than 256 MiB");
  // Redirects, 304, and errors are complete as they are: their bodies do not follow the operation's format.
  if (status >= 300) return undefined;
  if (tape.fault !== undefined) return localize("The stream of {0} is broken ({1})", provider, tape.fault);
  if (tape.failed) return localize("{0} reported an error inside the stream", provider);
  if (isEndless) return undefined;
  // Some servers omit the terminal event, so a stream with a finish reason and a clean end is also complete.
  if (streamed && protocol.stream !== undefined)
    return tape.terminal || (!cutOff && protocol.stream.isFinished?.(tape.body()) === true)
      ? undefined
      : localize("The stream ended without its terminal event");
  const body = tape.body();
  return (
    protocol.unfinished?.(body) ??
    (protocol.isWhole(body)
      ? undefined
      : localize("The response is not a complete {0} response", protocol.operation))
  );
}

/** Maximum size of an error body: longer ones are web pages, not messages. */
export const REFUSAL_BYTES = 64 * 1024;
const MAX_CHARACTERS = 200;

/**
 * Returns the message of a provider's error on one line, or "" if there is none. Providers repeat a rejected key, so all
 * spellings of the call's credentials are removed, and what `scan` finds.
 */
export function describeRefusal(
  body: Uint8Array,
  credentials: readonly SpelledCredential[],
  scan: Scan = () => [],
): string {
  const message = messageIn(tryParsePlainJson(new TextDecoder().decode(body)));
  if (message === undefined) return "";
  const spellings = credentials.flatMap((credential) => credential.spellings);
  const bare = spellings
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, spelling) => text.replaceAll(spelling, "[key]"), message);
  const [plain = ""] = redactTexts([bare], scan);
  const line = makeVisibleLine(plain)
    .trim()
    .replace(/[.!]+$/u, "");
  return cutText(line, MAX_CHARACTERS);
}

/** Source: OpenAI, Anthropic, Google, Mistral and Cohere name it `error.message`, `error`, `message` or `detail`. */
function messageIn(body: unknown): string | undefined {
  const { error, message, detail } = readFields(Array.isArray(body) ? body[0] : body);
  return [readFields(error)["message"], error, message, detail].find(isText);
}
