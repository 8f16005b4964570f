import type { CarriedBy } from "../cassette/credentials.ts";
import {
  searchCredentials,
  spelledCredentials,
  type FoundCredential,
  type SpelledCredential,
} from "../cassette/find-credentials.ts";
import { isAmbiguous } from "../cassette/secrets.ts";
import type { Recording, RecordingAddress } from "../cassette/recording.ts";
import { recordedRequest } from "../cassette/recorded-request.ts";
import { NOTHING_STOOD, type CassetteStore } from "../cassette/store.ts";
import { indexOfTake, lastNumber, numberInName } from "../cassette/take-numbers.ts";
import { CONFIG_NAME, type RecordRules } from "../config/config.ts";
import type { Clock } from "../clock.ts";
import { isEditedMeanwhile, type EditedRecording } from "../cassette/edited-meanwhile.ts";
import { explain, isTapedeckError, type TapedeckError } from "../errors.ts";
import type { Settled, TestRef } from "../call.ts";
import { pickDefined } from "../pick-defined.ts";
import { scopedKey } from "../runs.ts";
import { guardRecording, type GuardedRecording, type Secrets } from "../secrets/guard.ts";
import { keptHeaders } from "../protocol/kept-headers.ts";
import { withoutSecretHeaders } from "../secrets/secret-headers.ts";
import { finishInTurns } from "../steps.ts";
import { isHeaderValue } from "../wire/content-type.ts";
import type { Framing } from "../wire/framing.ts";
import type { IncomingReply } from "./forward.ts";
import type { Exchange } from "./source.ts";
import type { Tape } from "./tape.ts";
import { saidInStream, whyNotWhole } from "./whole.ts";

/** What is done with the answers: added as takes, put in the place of the takes that stand, or only passed on. */
export type Keeping = "add" | "replace" | "pass";

export interface KeepingParts {
  readonly store: CassetteStore;
  readonly clock: Clock;
  /** Told when an answer could not be kept although it should have been. */
  readonly warn: Warn;
  /** What is done about secrets in what is to be written; without it only the call's own credentials are looked for. */
  readonly secrets?: Secrets;
  /** What the project says about what is recorded; asked at every answer. */
  readonly record?: () => RecordRules;
}

/** Told in words, with what of it is more than words. */
export type Warn = (message: string, about?: WarnedOf) => void;

export interface WarnedOf {
  /** A recording that somebody edited while its call was made anew. */
  readonly edited?: EditedRecording;
  /** Why nothing can be written where an answer was to be kept. */
  readonly unwritable?: TapedeckError;
}

/** An answer of the provider, as far as it has come. */
export interface Received {
  readonly parts: KeepingParts;
  readonly exchange: Exchange;
  readonly keeping: Keeping;
  /** What the answer may take the place of, as it was when the call began. */
  readonly standing: StandingRecording | undefined;
  /** The number of the take that it is to be, where nothing stood; undefined where it is only passed on. */
  readonly number: number | undefined;
  readonly incoming: IncomingReply;
  readonly tape: Tape;
  readonly type: string | undefined;
  /** How it is divided; undefined where it is no stream. */
  readonly framing: Framing | undefined;
}

/** A recording that is to be replaced, and what stood in it. */
export interface StandingRecording {
  readonly entry: string;
  readonly since: string | undefined;
}

/** What a refreshed answer will take the place of. */
export function standingRecording(store: CassetteStore, exchange: Exchange): StandingRecording | undefined {
  const entry = takeOf(store, exchange)?.entry;
  return entry === undefined ? undefined : { entry, since: store.standing(entry) };
}

/** The recording that a call has the number of; undefined where there is none. */
export function takeOf(
  store: CassetteStore,
  { provider, key, ordinal }: Exchange,
): RecordingAddress | undefined {
  const takes = store.takes(provider.name, key);
  const index = indexOfTake(takes, key, ordinal);
  return index === undefined ? undefined : takes[index];
}

/**
 * The number of the take that a call's answer is to be, given when it is sent: whatever order answers come in, and
 * whatever becomes of those before it. Calls that were not sent (missed, replayed again) have none.
 */
export function numberFor(store: CassetteStore, { provider, key, ordinal, call }: Exchange): number {
  const takes = store.takes(provider.name, key);
  const { numbered } = call.run.counts;
  const last = Math.max(lastNumber(takes, key), numbered.get(key) ?? 0);
  const number = Math.min(ordinal, last + 1);
  numbered.set(key, Math.max(last, number));
  return number;
}

/** Records an answer that is whole and holds nothing secret, and says why where it does not. */
export async function keep(received: Received, cutOff: boolean): Promise<Settled> {
  const { keeping, parts, exchange, tape } = received;
  if (keeping === "pass") return { outcome: "forwarded" };
  const { provider, protocol } = exchange;
  const { status } = received.incoming;
  const fault = whyNotWhole({
    provider: provider.name,
    protocol,
    status,
    streamed: received.framing !== undefined,
    tape,
    cutOff,
    recordsErrors: parts.record?.().errors === true,
  });
  if (fault !== undefined)
    return { outcome: "forwarded", reason: `${fault}; it was passed on and not recorded.` };
  const guarded = await guard(received);
  if ("found" in guarded) return notKept(parts, `The answer was not recorded: ${guarded.found}.`, guarded);
  const credentials = spelledCredentials(carriedBy(received));
  const recording = await guardHeaders(guarded.recording, credentials, parts);
  const search = searchCredentials(recording, credentials, streamedText(received, recording));
  const leak = await finishInTurns(search, parts.secrets?.takeTurns);
  if (leak !== undefined) {
    const hint =
      leak.isInItsPlace && parts.secrets?.policy() !== "redact" ? hintFor(leak, provider.name) : undefined;
    return notKept(parts, `The answer was not recorded: ${leak.message}`, pickDefined({ hint }));
  }
  try {
    const entry = await write(received, recording);
    return { outcome: "recorded", entry };
  } catch (error) {
    if (isEditedMeanwhile(error))
      return notKept(parts, error.message, { hint: error.hint, edited: error.edited });
    const what = `The answer (${tape.sizeBytes} bytes) was passed on but could not be kept`;
    const unwritable = isTapedeckError(error) ? { unwritable: error } : {};
    return notKept(parts, `${what}: ${explain(error)}`, unwritable);
  }
}

/** What lets an API be recorded whose own key stands where calls are told apart. */
function hintFor({ parameter }: FoundCredential, provider: string): string {
  const redacts = `With "secrets": "redact" in ${CONFIG_NAME} it is recorded without it, and found again under another key.`;
  if (parameter === undefined) return redacts;
  const leftOut = `"credentials": {"${provider}":["${parameter}"]} there leaves this parameter out of what is compared and written`;
  const isNone = `"credentials": {"${provider}":[]} says that it is none`;
  return `${redacts} ${leftOut}${isAmbiguous(parameter) ? `; ${isNone}` : ""}.`;
}

/** What may be written once secrets were looked for. A scanner that fails lets nothing through. */
async function guard(received: Received): Promise<GuardedRecording> {
  const { exchange, parts, framing } = received;
  const recording = recordingOf(received);
  if (parts.secrets === undefined) return { recording };
  const readText = (read: Recording): string => streamedText(received, read);
  try {
    return await guardRecording({ recording, sent: exchange.sent, framing, readText }, parts.secrets);
  } catch (error) {
    const found = `it could not be searched for secrets (${explain(error)})`;
    return { found, hint: "This is a fault in Tapedeck; please report it with the log.", fails: false };
  }
}

function carriedBy({ exchange: { sent }, parts }: Received): CarriedBy {
  const { provider, headers, path, body, token } = sent;
  return { provider, headers, path, body, ...pickDefined({ token, named: parts.secrets?.named(provider) }) };
}

/** A header with a credential of the call or a secret in it is left out; the answer is kept. */
async function guardHeaders(
  recording: Recording,
  credentials: readonly SpelledCredential[],
  parts: KeepingParts,
): Promise<Recording> {
  const { headers: kept, ...reply } = recording.reply;
  if (kept === undefined) return recording;
  const scan = parts.secrets?.policy() === "allow" ? undefined : await parts.secrets?.scan();
  const headers = withoutSecretHeaders(kept, credentials, scan);
  return { ...recording, reply: { ...reply, ...(headers.length > 0 && { headers }) } };
}

/** An answer that should have been kept and is not: whoever watches is told. */
function notKept(
  { warn }: KeepingParts,
  reason: string,
  more: WarnedOf & { readonly hint?: string; readonly fails?: boolean } = {},
): Settled {
  const { hint, fails = false, ...about } = more;
  warn(hint === undefined ? reason : `${reason} ${hint}`, about);
  return {
    outcome: "forwarded",
    reason,
    ...pickDefined({ hint }),
    ...(fails && { failsRun: true }),
  };
}

function streamedText({ framing, exchange }: Received, { reply }: Recording): string {
  return saidInStream({ protocol: exchange.protocol, framing }, reply);
}

async function write(received: Received, recording: Recording): Promise<string> {
  const { parts, exchange, keeping, standing } = received;
  const { store } = parts;
  const { key, provider, call } = exchange;
  if (keeping === "replace") {
    if (standing === undefined) return writeFirst(received, recording);
    await store.replace(standing.entry, recording, standing.since);
    return standing.entry;
  }
  if (store.takes(provider.name, key).length === 0) call.run.firstRecorded.add(key);
  return (await saved(received, recording)).entry;
}

/** Those of other names that rules brought here by now count as well. */
function saved({ parts, exchange, number }: Received, recording: Recording): Promise<RecordingAddress> {
  const { store } = parts;
  const { key, provider } = exchange;
  if (number === undefined) return store.save(recording);
  return store.save(recording, numberInName(store.takes(provider.name, key), key, number));
}

/**
 * The answer to a call of a refresh for which nothing stood: what stands there by now is another's, and compared as such,
 * but for what identical calls of the same scope made meanwhile. One of these is written after the other.
 */
async function writeFirst(received: Received, recording: Recording): Promise<string> {
  const { parts, exchange } = received;
  const { store } = parts;
  const { key, provider, call } = exchange;
  const { counts } = call.run;
  const name = scopedKey(key, call.test);
  const put = async (made: ReadonlySet<string>): Promise<string> => {
    await store.settle(provider.name, key);
    const appeared = takeOf(store, exchange)?.entry;
    if (appeared === undefined || made.has(appeared)) return (await saved(received, recording)).entry;
    await store.replace(appeared, recording, NOTHING_STOOD);
    return appeared;
  };
  const before = counts.made.get(name) ?? Promise.resolve(new Set<string>());
  const putting = before.then(async (made) => ({ made, entry: await put(made) }));
  const after = putting.then(
    ({ made, entry }) => new Set([...made, entry]),
    () => before,
  );
  counts.made.set(name, after);
  return (await putting).entry;
}

function recordingOf({ exchange, incoming, tape, type, framing, parts }: Received): Recording {
  const { call, key, provider, protocol, facts } = exchange;
  const headers = keptHeaders(provider, incoming.headers, parts.record?.().withoutHeaders).filter(
    ([, value]) => isHeaderValue(value),
  );
  return {
    provider: provider.name,
    operation: protocol.operation,
    ...pickDefined({ model: facts.model }),
    key,
    request: recordedRequest(call, exchange.headers),
    reply: {
      status: incoming.status,
      ...pickDefined({ contentType: type }),
      ...(headers.length > 0 && { headers }),
      body: tape.body(),
      ...(framing !== undefined && { waitsMs: [...tape.waitsMs] }),
    },
    recordedAt: parts.clock.date(),
    ...(call.test !== undefined && { test: storedTest(call.test) }),
  };
}

/** What of a test goes into a file: not the execution, which would differ in every recording. */
function storedTest({ file, name, line, runner }: TestRef): TestRef {
  return { file, name, ...pickDefined({ line, runner }) };
}
