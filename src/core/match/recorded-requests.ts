import type { CassetteStore } from "../cassette/store.ts";
import { operationRequest } from "../describe.ts";
import type { Disposable, Nearest, RuleProposal } from "../exchange.ts";
import { protocolRequest } from "../read-request.ts";
import type { KeyedRequest } from "./canonical.ts";
import type { Normaliser } from "./key.ts";
import type { Exchange } from "../source/source.ts";
import { differences } from "./differences.ts";
import { departure } from "./departure.ts";
import { createNearestIndex, type NearestIndex } from "./nearest.ts";
import { loadPatterns } from "./patterns.ts";
import { proposeRule, type Candidate } from "./propose-rule.ts";

/** How many recordings are read at once while the index catches up. */
const READ_AT_ONCE = 32;

/** The nearest recording of a missed call, over all recordings of a store. */
export interface RecordedRequests extends Disposable {
  nearest(exchange: Exchange): Promise<Nearest | undefined>;
}

/**
 * Nothing is read before the first miss. From then on the index follows the store: new files are added,
 * those that went are taken out, and those that changed are read again.
 */
export function createRecordedRequests(
  store: CassetteStore,
  normaliser: () => Normaliser | undefined = () => undefined,
): RecordedRequests {
  let index: NearestIndex | undefined;
  let applied = normaliser();
  const known = new Set<string>();
  const changed = new Set<string>();
  let catchingUp: Promise<unknown> = Promise.resolve();
  let watching: Disposable | undefined;
  const watch = (): Disposable =>
    store.watch(({ entry }) => {
      if (entry === undefined) for (const every of known) changed.add(every);
      else changed.add(entry);
    });

  const catchUp = async (): Promise<NearestIndex> => {
    if (applied !== normaliser()) {
      applied = normaliser();
      index = undefined;
      known.clear();
    }
    const into = (index ??= createNearestIndex());
    watching ??= watch();
    const entries = new Set((await store.list()).map(({ entry }) => entry));
    const gone = [...known].filter((entry) => !entries.has(entry) || changed.has(entry));
    for (const entry of gone) {
      into.remove(entry);
      known.delete(entry);
    }
    changed.clear();
    const fresh = [...entries].filter((entry) => !known.has(entry));
    await addAll(fresh, (entry) => addTo(into, store, entry, applied));
    for (const entry of fresh) known.add(entry);
    return into;
  };

  return {
    async nearest(exchange) {
      const caughtUp = catchingUp.then(catchUp);
      catchingUp = caughtUp.catch(() => {});
      const asked = askedBy(exchange, normaliser());
      const found = (await caughtUp).find(asked);
      if (found === undefined) return undefined;
      const others = (index?.alike(asked) ?? []).filter((entry) => entry !== found.id);
      return nearestAt(found.id, asked, { store, others, normalise: normaliser() });
    },
    dispose: () => watching?.dispose(),
  };
}

/** What a recording has otherwise than a call asked, and the rule that would spare it. */
async function nearestAt(entry: string, asked: KeyedRequest, proposing: Proposing): Promise<Nearest> {
  const { store, normalise } = proposing;
  const recording = await store.read(entry);
  const { recordedAt, key } = recording;
  const recorded = normalised(operationRequest(recording), normalise);
  const departs = departure(recorded.body, asked.body);
  const proposal = await propose([entry, recorded], asked, proposing);
  return {
    entry,
    key,
    recordedAt,
    differences: differences(recorded, asked),
    ...(departs && { departure: departs }),
    ...(proposal && { proposal }),
  };
}

interface Proposing {
  readonly store: CassetteStore;
  /** Entries of those that could fall together with the nearest: a rule spares few differences. */
  readonly others: readonly string[];
  readonly normalise: Normaliser | undefined;
}

async function propose(
  [entry, recorded]: readonly [string, KeyedRequest],
  asked: KeyedRequest,
  { store, others, normalise }: Proposing,
): Promise<RuleProposal | undefined> {
  const compile = await loadPatterns();
  const without = proposeRule(recorded, asked, { compile, others: [] });
  if (without === undefined) return undefined;
  const read = async (other: string): Promise<Candidate | undefined> => {
    try {
      return { entry: other, request: normalised(operationRequest(await store.read(other)), normalise) };
    } catch {
      return undefined; // broken: reported where recordings are checked
    }
  };
  const candidates = await Promise.all(others.map(read));
  const known = [{ entry, request: recorded }, ...candidates.filter((one) => one !== undefined)];
  return proposeRule(recorded, asked, { compile, others: known });
}

async function addAll(entries: readonly string[], add: (entry: string) => Promise<void>): Promise<void> {
  for (let at = 0; at < entries.length; at += READ_AT_ONCE)
    await Promise.all(entries.slice(at, at + READ_AT_ONCE).map(add));
}

/** A broken recording is nobody's nearest. */
async function addTo(
  index: NearestIndex,
  store: CassetteStore,
  entry: string,
  normalise: Normaliser | undefined,
): Promise<void> {
  try {
    index.add(entry, normalised(operationRequest(await store.read(entry)), normalise));
  } catch {
    // reported where recordings are checked
  }
}

function askedBy({ call, protocol }: Exchange, normalise: Normaliser | undefined): KeyedRequest {
  const { operation } = protocol;
  return normalised({ ...protocolRequest(call, operation), operation }, normalise);
}

/** A request as its key sees it: what rules leave out differs from nothing. */
function normalised<T extends KeyedRequest>(request: T, normalise: Normaliser | undefined): T {
  return normalise === undefined ? request : { ...request, body: normalise(request) };
}
