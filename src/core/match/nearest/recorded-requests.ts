import type { CassetteStore } from "../../cassette/store.ts";
import type { Disposable, Nearest, RuleProposal } from "../../call.ts";
import { protocolRequest } from "../../read-request.ts";
import type { KeyedRequest } from "../key/canonical.ts";
import type { Normaliser } from "../key/key.ts";
import type { Exchange } from "../../source/source.ts";
import { differences } from "../differences/differences.ts";
import { departure } from "../differences/departure.ts";
import { createCollisionFinder } from "../rules/find-collisions.ts";
import { loadPatterns } from "../rules/patterns.ts";
import { proposeRule } from "../rules/propose-rule.ts";
import type { NormaliseRule } from "../rules/rule.ts";
import { createRequestIndex, type RequestIndexParts } from "./request-index.ts";
import { normalised, readRuled, ruledRequest, type RuledRecording } from "../rules/ruled-request.ts";

/** The nearest recording of a missed call, over all recordings of a store. */
export interface RecordedRequests extends Disposable {
  nearest(exchange: Exchange): Promise<Nearest | undefined>;
}

/** So many recordings are tried where the nearest ones cannot be read. */
const ATTEMPTS = 8;
/** So many of those most like the call are looked at before a rule is proposed. */
const LOOKED_AT = 16;

/** Nothing is read before the first miss. */
export function createRecordedRequests(parts: RequestIndexParts): RecordedRequests {
  const { store, normaliser } = parts;
  const requests = createRequestIndex(parts);
  const collisions = createCollisionFinder({ store, normaliser, compile: loadPatterns });
  return {
    async nearest(exchange) {
      const normalise = normaliser();
      const asked = askedBy(exchange, normalise);
      const index = await requests.current();
      const alike = index.alike(asked).map(({ id }) => id);
      for (const found of alike.slice(0, ATTEMPTS)) {
        const others = alike.filter((entry) => entry !== found).slice(0, LOOKED_AT);
        const apart: Proposing["apart"] = async (rule) => {
          const place = "ignore" in rule ? rule.ignore : rule.at;
          return place === undefined
            ? collisions.under(rule, index.all(asked))
            : index.collisionsAt(asked, place);
        };
        const nearest = await nearestAt(found, asked, { store, others, apart, normalise });
        if (nearest !== undefined) return nearest;
        index.remove(found);
      }
      return undefined;
    },
    dispose() {
      collisions.dispose();
      requests.dispose();
    },
  };
}

/**
 * What a recording has otherwise than a call asked, and the rule that would spare it. Undefined where it cannot be
 * read: it broke since it was indexed.
 */
async function nearestAt(
  entry: string,
  asked: KeyedRequest,
  proposing: Proposing,
): Promise<Nearest | undefined> {
  const { store, normalise } = proposing;
  const recording = await store.read(entry).catch(() => undefined);
  if (recording === undefined) return undefined;
  const { recordedAt, key } = recording;
  const recorded = ruledRequest(recording, normalise);
  const departs = departure(recorded.body, asked.body);
  const proposal = await propose({ entry, request: recorded }, asked, proposing);
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
  /** Entries of those that could fall together with one another under a rule, wherever they are; undefined where nobody can say. */
  readonly apart: (rule: NormaliseRule) => Promise<readonly string[] | undefined>;
  readonly normalise: Normaliser | undefined;
}

async function propose(
  nearest: RuledRecording,
  asked: KeyedRequest,
  { store, others, apart, normalise }: Proposing,
): Promise<RuleProposal | undefined> {
  const known = new Map<string, Promise<RuledRecording | undefined>>();
  const readOnce = (entry: string): Promise<RuledRecording | undefined> => {
    const reading = known.get(entry) ?? readRuled(entry, store, normalise);
    known.set(entry, reading);
    return reading;
  };
  const readOthers = async (rule: NormaliseRule): Promise<readonly RuledRecording[] | undefined> => {
    const collisions = await apart(rule);
    if (collisions === undefined) return undefined;
    const entries = new Set([...others, ...collisions]);
    entries.delete(nearest.entry);
    const read = await Promise.all(Array.from(entries, readOnce));
    return [nearest, ...read.filter((one) => one !== undefined)];
  };
  return proposeRule(nearest.request, asked, { compile: await loadPatterns(), others: readOthers });
}

function askedBy({ call, protocol }: Exchange, normalise: Normaliser | undefined): KeyedRequest {
  const { operation } = protocol;
  return normalised({ ...protocolRequest(call, operation), operation }, normalise);
}
