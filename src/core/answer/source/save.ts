import type { Recording, RecordingAddress } from "../../cassette/recording.ts";
import { NOTHING_STOOD, type CassetteStore } from "../../cassette/store.ts";
import { indexOfTake, lastNumber } from "../../cassette/address.ts";
import type { Clock } from "../../base/clock.ts";
import { isEditedMeanwhile, type EditedRecording } from "../../cassette/edited-meanwhile.ts";
import { explain, isTapedeckError, type TapedeckError } from "../../base/errors.ts";
import type { Settled } from "../../call/call.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import type { Framing } from "../../base/wire/framing.ts";
import type { IncomingReply } from "./source.ts";
import type { Exchange } from "../../match/read-request.ts";
import { judge, type JudgingParts } from "./judge.ts";
import type { Tape } from "./tape.ts";

/** What is done with the answers: added as takes, put in the place of the takes that stand, or only passed on. */
export type Keeping = "add" | "replace" | "pass";

export interface KeepingParts extends JudgingParts {
  readonly store: CassetteStore;
  readonly clock: Clock;
  /** Told when an answer could not be kept although it should have been. */
  readonly warn: Warn;
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
  { provider, key, ordinal, trial }: Exchange,
): RecordingAddress | undefined {
  if (trial !== undefined) return trial.takes[ordinal - 1];
  const takes = store.takes(provider.name, key);
  const index = indexOfTake(takes, ordinal);
  return index === undefined ? undefined : takes[index];
}

/**
 * The number of the take that a call's answer is to be, given when it is sent: whatever order answers come in, and
 * whatever becomes of those before it. Calls that were not sent (missed, replayed again) have none.
 */
export function numberFor(store: CassetteStore, exchange: Exchange): number {
  const { provider, key, ordinal, call, trial, group = { before: ordinal - 1 } } = exchange;
  const { numbered } = call.run.counts;
  const given = numbered.get(key) ?? 0;
  if (group.recorded === undefined) {
    const last = followsNumbered(exchange)
      ? given
      : Math.max(lastNumber(store.takes(provider.name, key)), given);
    group.recorded = { lastTake: last, ordinals: trial?.takes.length ?? last };
  }
  const { lastTake, ordinals } = group.recorded;
  const number = lastTake + ordinal - Math.max(group.before, ordinals);
  numbered.set(key, Math.max(given, lastTake, number));
  return number;
}

/**
 * Whether a call directly follows the last call that the run numbered, or is in a group with a numbered call. No take
 * has a higher number then, so the folder, which changes with every recording, is not read again for each of many
 * identical calls.
 */
export function followsNumbered({ key, ordinal, group, call, trial }: Exchange): boolean {
  if (group?.recorded !== undefined && ordinal > group.recorded.ordinals) return true;
  return trial === undefined && ordinal > 1 && call.run.counts.numbered.get(key) === ordinal - 1;
}

/** Records an answer that is complete and holds no secret, and otherwise returns the reason for not recording it. */
export async function keep(received: Received, cutOff: boolean): Promise<Settled> {
  const { keeping, parts, tape } = received;
  if (keeping === "pass") return { outcome: "forwarded" };
  const judgement = await judge({ ...received, cutOff, followsTake: () => followsTake(received) });
  if ("fault" in judgement)
    return { outcome: "forwarded", reason: `${judgement.fault}; it was passed on and not recorded.` };
  if ("refusal" in judgement) {
    const { refusal, ...more } = judgement;
    return warnNotKept(parts, refusal, more);
  }
  try {
    const entry = await write(received, judgement.recording);
    return { outcome: "recorded", entry };
  } catch (error) {
    if (isEditedMeanwhile(error))
      return warnNotKept(parts, error.message, { hint: error.hint, edited: error.edited });
    const what = `The answer (${tape.sizeBytes} bytes) was passed on but could not be kept`;
    const unwritable = isTapedeckError(error) ? { unwritable: error } : {};
    const lost = explain(error);
    return { ...warnNotKept(parts, `${what}: ${lost}`, unwritable), lost };
  }
}

function followsTake({ parts, exchange }: Received): boolean {
  const { ordinal } = exchange;
  return ordinal > 1 && takeOf(parts.store, { ...exchange, ordinal: ordinal - 1 }) !== undefined;
}

/** An answer that should have been kept and is not: whoever watches is told. */
function warnNotKept(
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

async function write(received: Received, recording: Recording): Promise<string> {
  const { parts, exchange, keeping, standing } = received;
  const { store } = parts;
  const { key, provider, call, trial } = exchange;
  if (keeping === "replace") {
    if (standing === undefined) return writeFirst(received, recording);
    await store.replace(standing.entry, recording, standing.since);
    return standing.entry;
  }
  const { firstRecorded } = call.run;
  const name = trial?.name ?? key;
  const isFirst = (): boolean => (trial?.takes ?? store.takes(provider.name, key)).length === 0;
  if (!firstRecorded.has(name) && isFirst()) firstRecorded.add(name);
  return (await store.save(recording, received.number)).entry;
}

/**
 * The answer to a call of a refresh for which nothing stood: what stands there by now is another's, and compared as such.
 * Identical calls of the same scope have numbers of their own.
 */
async function writeFirst(received: Received, recording: Recording): Promise<string> {
  const { parts, exchange } = received;
  const { store } = parts;
  const appeared = takeOf(store, exchange)?.entry;
  if (appeared === undefined) return (await store.save(recording, received.number)).entry;
  await store.replace(appeared, recording, NOTHING_STOOD);
  return appeared;
}
