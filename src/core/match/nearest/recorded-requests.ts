import type { CassetteStore } from "../../cassette/store.ts";
import type { Disposable, Nearest, RuleProposal } from "../../call.ts";
import { pickDefined } from "../../pick-defined.ts";
import { protocolRequest } from "../../read-request.ts";
import { normaliseRequest, type Normaliser, type KeyedRequest } from "../key/key.ts";
import type { Exchange } from "../../source/source.ts";
import { differences } from "../differences/differences.ts";
import { departure } from "../differences/departure.ts";
import { createCollisionFinder } from "../rules/find-collisions.ts";
import { NAMED_PATTERNS } from "../rules/named-patterns.ts";
import { loadPatterns } from "../rules/patterns.ts";
import { proposeRules } from "../rules/propose-rules.ts";
import type { NormaliseRule } from "../rules/rule.ts";
import { compileRules } from "../rules/rules.ts";
import { isNear } from "./is-near.ts";
import { momentsOf } from "../rules/other-date.ts";
import { createRequestIndex, type RequestIndexParts } from "./request-index.ts";
import { readRuled, ruledRequest, type RuledRecording } from "../rules/ruled-request.ts";

/** The nearest recording of a missed call, over all recordings of a store. */
export interface RecordedRequests extends Disposable {
  nearest(exchange: Missed): Promise<Nearest | undefined>;
}

/** What of a missed call is compared. */
export type Missed = Pick<Exchange, "call" | "protocol" | "headers">;

/** So many recordings are tried where those most like the call cannot be read, or are about something else. */
const ATTEMPTS = 8;
/** So many of those most like the call are looked at before a rule is proposed. */
const LOOKED_AT = 16;

export interface RecordedRequestsParts extends RequestIndexParts {
  /** Milliseconds since the epoch: a date is proposed for a rule where it moved as this did. */
  readonly now: () => number;
}

/** Nothing is read before the first miss. */
export function createRecordedRequests(parts: RecordedRequestsParts): RecordedRequests {
  const { store, normaliser, now } = parts;
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
        const apart: Proposing["apart"] = async (rules) => {
          const place = placeOfRule(rules);
          return place === undefined
            ? collisions.under(rules, index.all(asked))
            : index.collisionsAt(asked, place);
        };
        const nearest = await nearestAt(found, asked, { store, others, apart, normalise, now });
        if (nearest === "unreadable") index.remove(found);
        else if (nearest !== "far") return nearest;
      }
      return undefined;
    },
    dispose() {
      collisions.dispose();
      requests.dispose();
    },
  };
}

/** The one place that rules are about; undefined where there are several. */
function placeOfRule([rule, another]: readonly NormaliseRule[]): string | undefined {
  if (rule === undefined || another !== undefined) return undefined;
  const place = "ignore" in rule ? rule.ignore : "replace" in rule ? rule.at : undefined;
  return place?.includes("/*") === true ? undefined : place;
}

/** What a recording has otherwise than a call asked, and the rules that would spare it. Unreadable: broken since it was indexed. */
async function nearestAt(
  entry: string,
  asked: KeyedRequest,
  proposing: Proposing,
): Promise<Nearest | "far" | "unreadable"> {
  const { store, normalise } = proposing;
  const recording = await store.read(entry).catch(() => undefined);
  if (recording === undefined) return "unreadable";
  const { recordedAt, key } = recording;
  const recorded = ruledRequest(recording, normalise);
  if (!isNear(recorded, asked) && !(await isNearBut(recorded, asked))) return "far";
  const departs = departure(recorded.body, asked.body);
  const proposal = await propose({ entry, request: recorded, recordedAt }, asked, proposing);
  return {
    entry,
    key,
    recordedAt,
    differences: differences(recorded, asked),
    ...pickDefined({ departure: departs, proposal }),
  };
}

/** Whether they are about the same but for what is volatile: of a short text, an id may be most of its words. */
async function isNearBut(recorded: KeyedRequest, asked: KeyedRequest): Promise<boolean> {
  const all = Object.keys(NAMED_PATTERNS).map((replace) => ({ replace }));
  const named = compileRules(all, await loadPatterns());
  return isNear(normaliseRequest(recorded, named), normaliseRequest(asked, named));
}

interface Proposing {
  readonly store: CassetteStore;
  /** Entries of those that could fall together with the nearest: a rule spares few differences. */
  readonly others: readonly string[];
  /** Entries of those that could fall together with one another under rules, wherever they are; undefined where nobody can say. */
  readonly apart: (rules: readonly NormaliseRule[]) => Promise<readonly string[] | undefined>;
  readonly normalise: Normaliser | undefined;
  readonly now: () => number;
}

async function propose(
  nearest: RuledRecording,
  asked: KeyedRequest,
  { store, others, apart, normalise, now }: Proposing,
): Promise<RuleProposal | undefined> {
  const known = new Map<string, Promise<RuledRecording | undefined>>();
  const readOnce = (entry: string): Promise<RuledRecording | undefined> => {
    const reading = known.get(entry) ?? readRuled(entry, store, normalise);
    known.set(entry, reading);
    return reading;
  };
  const readOthers = async (
    rules: readonly NormaliseRule[],
  ): Promise<readonly RuledRecording[] | undefined> => {
    const collisions = await apart(rules);
    if (collisions === undefined) return undefined;
    const entries = new Set([...others, ...collisions]);
    entries.delete(nearest.entry);
    const read = await Promise.all(Array.from(entries, readOnce));
    return [nearest, ...read.filter((one) => one !== undefined)];
  };
  return proposeRules(nearest.request, asked, {
    compile: await loadPatterns(),
    others: readOthers,
    moments: momentsOf(nearest, now()),
  });
}

function askedBy({ call, protocol, headers }: Missed, normalise: Normaliser | undefined): KeyedRequest {
  const { operation } = protocol;
  const asked = {
    ...protocolRequest({ call, protocol: { operation } }),
    operation,
    ...pickDefined({ headers }),
  };
  return normaliseRequest(asked, normalise);
}
