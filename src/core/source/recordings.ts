import type { RecordedReply, RecordingAddress } from "../cassette/recording.ts";
import type { CassetteStore, KnownTakes } from "../cassette/store.ts";
import { indexOfTake, lastNumber } from "../cassette/take-numbers.ts";
import type { Clock } from "../clock.ts";
import { isTapedeckError } from "../errors.ts";
import { readyReply, type ReadyReply } from "../cassette/ready-reply.ts";
import type { Answer, WireReply } from "../call.ts";
import { cutBody } from "../wire/framing.ts";
import { ownersOf, type OwnedTakes } from "./owned-takes.ts";
import { framingFor, settledAnswer, type AnswerSource, type Exchange, type Found } from "./source.ts";

export interface ReplayOptions {
  readonly store: CassetteStore;
  readonly clock: Clock;
  /** "recorded" plays a stream back at the pace at which it came. */
  readonly timing: "none" | "recorded";
  /** "same" answers every identical call with the first take; asked at every call. */
  readonly repeats: () => "takes" | "same";
  /** Whether calls beyond the takes that this run itself made go on to the next source, to become further takes. */
  readonly growsTakes: boolean;
}

/**
 * Replays: the k-th identical call of a run gets take number k, and after the last one the last one again. A number that
 * is missing among them is no call's: its answer was not recorded.
 */
export function recordings(options: ReplayOptions): AnswerSource {
  return {
    name: "recordings",
    caughtUp: () => options.store.caughtUp?.(),
    answer: (exchange) => replay(exchange, options),
  };
}

/** At once where all that is asked for is known: most calls are repeated ones. */
function replay(exchange: Exchange, options: ReplayOptions): Found | Promise<Found> {
  const { provider, key } = exchange;
  const { store } = options;
  const kept = keptReply(exchange, options);
  if (kept !== undefined) return replayOf(kept, ONLY, exchange, options);
  const known = knownTakes(exchange, store);
  const chosen =
    known === undefined
      ? chosenOf(store.takesLately(provider.name, key), exchange, options)
      : chooseOwned(
          known,
          { takes: known, last: known.count, indexOf: (number) => number - 1 },
          exchange,
          options,
        );
  return chosen instanceof Promise
    ? chosen.then((one) => replayChosen(one, known, exchange, options))
    : replayChosen(chosen, known, exchange, options);
}

function replayChosen(
  chosen: Chosen | undefined,
  known: KnownTakes | undefined,
  exchange: Exchange,
  options: ReplayOptions,
): Found | Promise<Found> {
  if (chosen === undefined)
    return lacksOwnTake(exchange, options) ? undefined : lookedAgain(exchange, options);
  const quiet = known?.quiet(chosen.index, exchange.remembered);
  return quiet === undefined
    ? lookedUp(chosen, exchange, options)
    : replayOf(quiet, chosen, exchange, options);
}

/** The reply of the only take, where the store has heard of no change since it was found. */
function keptReply(
  { remembered, ordinal }: Exchange,
  { store, growsTakes }: ReplayOptions,
): ReadyReply | undefined {
  const { reply, quietAsOf } = remembered;
  if (reply === undefined || quietAsOf !== store.changes?.count) return undefined;
  // Who made the only take may have to make another one.
  return growsTakes && ordinal > 1 ? undefined : reply;
}

/** So often a recording may be renamed while it is read. */
const ATTEMPTS = 5;

async function lookedUp(lately: Chosen, exchange: Exchange, options: ReplayOptions): Promise<Found> {
  const { store } = options;
  let chosen = lately;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return replayOf(await readFrom(store, chosen.entry), chosen, exchange, options);
    } catch (error) {
      // It may have gone since the last look at its folder.
      const now = await chosenOf(await takesNow(exchange, store), exchange, options);
      if (now === undefined && isTapedeckError(error) && "gone" in error) return undefined;
      if (now === undefined) throw error;
      // The first reading may have been the one that found out that names mislead.
      if (attempt > 1 && (now.entry === chosen.entry || attempt === ATTEMPTS)) throw error;
      chosen = now;
    }
  }
}

/** For who found none: a recording may have been under its other name whenever it was looked for. */
async function lookedAgain(exchange: Exchange, options: ReplayOptions): Promise<Found> {
  const now = await chosenOf(await takesNow(exchange, options.store), exchange, options);
  return now && lookedUp(now, exchange, options);
}

async function takesNow(
  { provider, key }: Exchange,
  store: CassetteStore,
): Promise<readonly RecordingAddress[]> {
  return (await store.lookAgain?.(provider.name, key)) ?? store.takes(provider.name, key);
}

/** Whether what is missing is another take of a call that this run itself has made. */
function lacksOwnTake({ key, call }: Exchange, { growsTakes }: ReplayOptions): boolean {
  return growsTakes && call.run.firstRecorded.has(key);
}

async function readFrom(store: CassetteStore, entry: string): Promise<ReadyReply> {
  return readyReply(entry, await store.reply(entry));
}

/** What was found for the same bytes before, for as long as it holds. */
function knownTakes({ remembered, provider, key }: Exchange, store: CassetteStore): KnownTakes | undefined {
  if (remembered.takes?.hold() === true) return remembered.takes;
  return (remembered.takes = store.knownTakes?.(provider.name, key));
}

function chosenOf(
  takes: readonly RecordingAddress[],
  exchange: Exchange,
  options: ReplayOptions,
): Chosen | undefined | Promise<Chosen | undefined> {
  if (takes.length === 0) return undefined;
  const { key } = exchange;
  const all = {
    takes: { count: takes.length, entry: (at: number) => takes[at]?.entry ?? "" },
    last: lastNumber(takes, key),
    indexOf: (number: number) => indexOfTake(takes, key, number),
  };
  return chooseOwned(takes, all, exchange, options);
}

/** Where takes were imported from several cassettes, a test gets those of its own. `list` stands for them. */
function chooseOwned(
  list: object,
  numbered: NumberedTakes,
  exchange: Exchange,
  options: ReplayOptions,
): Chosen | undefined | Promise<Chosen | undefined> {
  const plain = choose(numbered, exchange, options);
  const { count } = numbered.takes;
  if (plain === undefined || count < 2) return plain;
  const entries = (): string[] => Array.from({ length: count }, (_, at) => numbered.takes.entry(at));
  const owned = ownersOf(list, options.store, entries);
  const narrow = (takes: OwnedTakes | null): Chosen => {
    const ordinal = options.repeats() === "same" ? 1 : exchange.ordinal;
    const own = takes?.choose(exchange.call.test, ordinal, plain.index);
    return own === undefined ? plain : { ...own, entry: numbered.takes.entry(own.index) };
  };
  return owned instanceof Promise ? owned.then(narrow) : narrow(owned);
}

/** The takes of a key, with their numbers. */
interface NumberedTakes {
  readonly takes: Pick<KnownTakes, "count" | "entry">;
  /** The number of the last one. */
  readonly last: number;
  indexOf(number: number): number | undefined;
}

function choose(
  numbered: NumberedTakes,
  { ordinal, key, call }: Exchange,
  { repeats, growsTakes }: ReplayOptions,
): Chosen | undefined {
  const { takes, last } = numbered;
  if (repeats() === "same") return { entry: takes.entry(0), index: 0, runOut: 0 };
  if (growsTakes && ordinal > last && call.run.firstRecorded.has(key)) return undefined;
  const index = numbered.indexOf(Math.min(ordinal, last));
  if (index === undefined) return undefined;
  return { entry: takes.entry(index), index, runOut: ordinal > last && last > 1 ? last : 0 };
}

interface Chosen {
  readonly entry: string;
  /** Among the takes. */
  readonly index: number;
  /** The number of the last take, where that is not the first and the call came more often; else 0. */
  readonly runOut: number;
  /** What else there is to say of it. */
  readonly reason?: string;
}

const ONLY = { runOut: 0 };

function replayOf(
  ready: ReadyReply,
  { runOut, reason: why }: Pick<Chosen, "runOut" | "reason">,
  exchange: Exchange,
  { timing, clock }: ReplayOptions,
): Answer {
  const { entry } = ready;
  const reply = timing === "none" ? ready : paced(ready, clock, exchange);
  if (runOut === 0)
    return settledAnswer(reply, { outcome: "replayed", entry, ...(why !== undefined && { reason: why }) });
  const reason =
    why ?? `The call of ${entry} came more often than it has takes (${runOut}): the last one answered again.`;
  return settledAnswer(reply, { outcome: "replayed", entry, reason });
}

/** A stream at the pace at which it came. */
function paced({ recorded, status, headers, body }: ReadyReply, clock: Clock, exchange: Exchange): WireReply {
  const { waitsMs } = recorded;
  return { status, headers, body: waitsMs === undefined ? body : pace(recorded, waitsMs, clock, exchange) };
}

async function* pace(
  { body, contentType }: RecordedReply,
  waitsMs: readonly number[],
  clock: Clock,
  exchange: Exchange,
): AsyncGenerator<Uint8Array> {
  const { signal } = exchange.call;
  for (const [index, frame] of cutBody(body, framingFor(exchange, contentType)).entries()) {
    const wait = waitsMs[index] ?? 0;
    if (wait > 0) await clock.wait(wait, signal);
    if (signal.aborted) return;
    yield frame;
  }
}
