import { formatSize } from "../../base/plural.ts";
import { localize } from "../../base/localize.ts";
import type { Recording, RecordingAddress } from "../../cassette/recording.ts";
import { NO_CONTENT, type CassetteStore } from "../../cassette/store.ts";
import {
  createRecordingAddress,
  findFreeNumber,
  findTakeIndex,
  getLastTake,
} from "../../cassette/address.ts";
import type { Clock } from "../../base/clock.ts";
import { isEditedMeanwhile } from "../../cassette/edited-meanwhile.ts";
import { explain, isTapedeckError, type TapedeckError } from "../../base/errors.ts";
import type { Settled } from "../../call/call.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import type { Framing } from "../../base/wire/framing.ts";
import { followsNumbered, giveBackNumber, noteReply } from "../runs.ts";
import { readJobState } from "./polls.ts";
import { isPoll } from "./recordings.ts";
import type { IncomingReply } from "./source.ts";
import type { Exchange } from "../../match/read-request.ts";
import { judge, type JudgingParts } from "./judge.ts";
import type { RelatedCalls } from "./related-calls.ts";
import type { StreamTape } from "./tape.ts";

/** How answers are stored: added as takes, written over existing takes, or only forwarded. */
export type KeepMode = "add" | "replace" | "pass";

export interface KeepingParts extends JudgingParts {
  readonly store: CassetteStore;
  readonly clock: Clock;
  /** Reports an answer that should have been recorded but could not be. */
  readonly warn: Warn;
}

/** Reports a warning, with its structured details. */
export type Warn = (message: string, about?: WarnedOf) => void;

export interface WarnedOf {
  /** Why an answer that should be recorded cannot be written. */
  readonly unwritable?: TapedeckError;
}

/** The part of a provider's answer that has been received. */
export interface Received {
  readonly parts: KeepingParts;
  readonly exchange: Exchange;
  readonly keeping: KeepMode;
  /** The recording that the answer may replace, as it was when the call started. */
  readonly standing: StandingRecording | undefined;
  /** The take number for a new recording; undefined if an existing one is replaced or the answer is only forwarded. */
  readonly number: number | undefined;
  readonly incoming: IncomingReply;
  readonly tape: StreamTape;
  readonly type: string | undefined;
  /** The requests that an event stream reports on. */
  readonly related?: RelatedCalls | undefined;
  /** Whether it is an event stream without an end. */
  readonly isEndless: boolean;
  /** The framing of the stream; undefined if it is not a stream. */
  readonly framing: Framing | undefined;
}

/** A recording that will be replaced, and its previous content. */
export interface StandingRecording {
  readonly entry: string;
  readonly since: string | undefined;
}

/** Returns the recording that a refreshed answer will replace. */
export function findStandingRecording(
  store: CassetteStore,
  exchange: Exchange,
): StandingRecording | undefined {
  const entry = findTake(store, exchange)?.entry;
  return entry === undefined ? undefined : { entry, since: store.hashContent(entry) };
}

/** Returns the recording with the number of a call; undefined if there is none. */
export function findTake(
  store: CassetteStore,
  { provider, key, ordinal, trial }: Exchange,
): RecordingAddress | undefined {
  if (trial !== undefined) return trial.takes[ordinal - 1];
  const takes = store.takes(provider.name, key);
  const index = findTakeIndex(takes, ordinal);
  return index === undefined ? undefined : takes[index];
}

/**
 * Returns the take number for a call's answer. It is assigned when the call is sent, so it does not depend on the order
 * or the outcome of other answers. Calls that were not sent (misses, replays) get no number.
 */
export function assignTakeNumber(store: CassetteStore, exchange: Exchange): number {
  const { provider, key, ordinal, call, trial, group = { before: ordinal - 1 } } = exchange;
  const { numbered } = call.run.counts;
  const given = numbered.get(key) ?? 0;
  if (group.recorded === undefined) {
    const last = followsNumbered(exchange)
      ? given
      : Math.max(getLastTake(store.takes(provider.name, key)), given);
    group.recorded = { lastTake: last, ordinals: trial?.takes.length ?? last };
  }
  const { lastTake, ordinals } = group.recorded;
  const number = lastTake + ordinal - Math.max(group.before, ordinals);
  numbered.set(key, Math.max(given, lastTake, number));
  return number;
}

/** Records an answer that is complete and holds no secret, and otherwise returns the reason for not recording it. */
export async function keep(received: Received, cutOff: boolean, isLeft = false): Promise<Settled> {
  const { keeping, parts, tape } = received;
  if (keeping === "pass") return { outcome: "forwarded" };
  const judgement = await judge({ ...received, cutOff, isLeft, followsTake: () => followsTake(received) });
  if ("fault" in judgement)
    return {
      outcome: "forwarded",
      reason: localize("{0}; it was forwarded and not recorded.", judgement.fault),
    };
  if ("refusal" in judgement) {
    const { refusal, ...more } = judgement;
    return reportUnrecorded(parts, refusal, more);
  }
  const { recording } = judgement;
  if (await repeatsState(received, recording)) {
    giveBackNumber(received.exchange.call.run.counts, received.exchange);
    const reason = localize(
      "The job goes on as in its last {0} recordings, so this poll was not recorded.",
      MOST_POLLS,
    );
    return { outcome: "forwarded", reason };
  }
  try {
    const entry = await write(received, recording);
    noteReply(received.exchange, { entry, reply: recording.reply, isFresh: true });
    return { outcome: "recorded", entry };
  } catch (error) {
    if (isEditedMeanwhile(error)) return reportUnrecorded(parts, error.message, { hint: error.hint });
    const unwritable = isTapedeckError(error) ? { unwritable: error } : {};
    const lost = explain(error);
    return {
      ...reportUnrecorded(
        parts,
        localize(
          "The response ({0}) was forwarded but could not be saved: {1}",
          formatSize(tape.sizeBytes),
          lost,
        ),
        unwritable,
      ),
      lost,
    };
  }
}

/** Polls that are recorded of a job before those that find it in the same state are left out. */
const MOST_POLLS = 20;

/** Whether a reply only repeats that a job goes on, which many recordings say before it. */
async function repeatsState({ parts, exchange }: Received, { reply }: Recording): Promise<boolean> {
  const { call, ordinal } = exchange;
  if (ordinal <= MOST_POLLS || !isPoll(call)) return false;
  const state = readJobState(reply);
  const before = findTake(parts.store, { ...exchange, ordinal: ordinal - 1 });
  if (state?.isOpen !== true || before === undefined) return false;
  const last = await parts.store.read(before.entry, "replay");
  return last !== undefined && readJobState(last.reply)?.name === state.name;
}

function followsTake({ parts, exchange }: Received): boolean {
  const { ordinal } = exchange;
  return ordinal > 1 && findTake(parts.store, { ...exchange, ordinal: ordinal - 1 }) !== undefined;
}

/** Reports an answer that should have been recorded but was not. */
export function reportUnrecorded(
  { warn }: Pick<KeepingParts, "warn">,
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

async function write(received: Received, recording: Recording): Promise<string> {
  const { parts, exchange, keeping, standing } = received;
  const { store } = parts;
  const { key, provider, call, trial } = exchange;
  if (keeping === "replace") {
    if (standing === undefined) return writeFirst(received, recording);
    await store.replace(standing.entry, recording, standing.since, exchange.renewed?.());
    return standing.entry;
  }
  const { firstRecorded } = call.run;
  const name = trial?.name ?? key;
  const isFirst = (): boolean => (trial?.takes ?? store.takes(provider.name, key)).length === 0;
  if (!firstRecorded.has(name) && isFirst()) firstRecorded.add(name);
  return add(received, recording);
}

/**
 * Writes the answer to a refreshed call that had no recording when it started. A recording that has appeared since then
 * was written by another writer, and is compared as such: identical calls of the same scope have separate numbers.
 */
async function writeFirst(received: Received, recording: Recording): Promise<string> {
  const { parts, exchange } = received;
  const appeared = findTake(parts.store, exchange)?.entry;
  if (appeared === undefined) return add(received, recording);
  await parts.store.replace(appeared, recording, NO_CONTENT, exchange.renewed?.());
  return appeared;
}

/** Adds a take. With earlier calls of its chain, it is written to a free place at the moment when their recordings are replaced. */
async function add({ parts, exchange, number }: Received, recording: Recording): Promise<string> {
  const { store } = parts;
  const renewed = exchange.renewed?.() ?? [];
  if (renewed.length === 0) return (await store.save(recording, number)).entry;
  const { provider, key } = recording;
  const take = findFreeNumber(store.takes(provider, key), number);
  const { entry } = createRecordingAddress(provider, key, take);
  await store.replace(entry, recording, NO_CONTENT, renewed);
  return entry;
}

/** Runs one task of a name at a time. Other tasks of that name wait, and learn that they waited. */
type SingleFlight = <T>(name: string, task: (waited: boolean) => Promise<T>) => Promise<T>;

/**
 * The task's answer counts as landed when it is settled, so that a waiting call finds the recording on disk.
 * Tasks that fail wake the next one.
 */
export function createSingleFlight(): SingleFlight {
  const flights = new Map<string, Promise<unknown>>();
  return async (name, task) => {
    let waited = false;
    for (let under = flights.get(name); under !== undefined; under = flights.get(name)) {
      waited = true;
      await under;
    }
    const flight = task(waited);
    const landed = flight.then(landing, () => {}).finally(() => flights.delete(name));
    flights.set(name, landed);
    return flight;
  };
}

async function landing(result: unknown): Promise<void> {
  if (typeof result !== "object" || result === null || !("settled" in result)) return;
  await result.settled;
}
