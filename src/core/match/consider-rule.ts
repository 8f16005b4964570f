import type { CassetteStore } from "../cassette/store.ts";
import { operationRequest, type DescribedRequest } from "../describe.ts";
import type { RuleProposal } from "../exchange.ts";
import type { KeyedRequest } from "./canonical.ts";
import type { Normaliser } from "./key.ts";
import { loadPatterns } from "./patterns.ts";
import { proposeRule, textUnder, type Candidate } from "./propose-rule.ts";

/** A rule that was looked at against every recording of its provider and operation. */
export interface ConsideredRule extends RuleProposal {
  /** Entries of other recordings whose key it would change. */
  readonly touched: readonly string[];
  /** How many recordings were looked at. */
  readonly looked: number;
}

const AT_ONCE = 32;

/**
 * The smallest rule under which a missed call would be the recording's at `entry`, with all that it would do.
 * Undefined where no single rule does it. Reads every recording of the provider.
 * @throws TapedeckError where that recording cannot be read.
 */
export async function considerRule(
  asked: DescribedRequest,
  entry: string,
  { store, normalise }: { readonly store: CassetteStore; readonly normalise: Normaliser | undefined },
): Promise<ConsideredRule | undefined> {
  const compile = await loadPatterns();
  const seen = (described: DescribedRequest): KeyedRequest => {
    const request = operationRequest(described);
    return normalise === undefined ? request : { ...request, body: normalise(request) };
  };
  const nearest = seen(await store.read(entry));
  const others = await candidatesOf(asked.provider, store, seen);
  const proposal = proposeRule(nearest, seen(asked), { compile, others });
  if (proposal === undefined) return undefined;
  const [before, after] = [textUnder(undefined, compile), textUnder(proposal.rule, compile)];
  const touched = others.filter((one) => one.entry !== entry && before(one.request) !== after(one.request));
  return { ...proposal, touched: touched.map((one) => one.entry), looked: others.length };
}

async function candidatesOf(
  provider: string,
  store: CassetteStore,
  seen: (described: DescribedRequest) => KeyedRequest,
): Promise<readonly Candidate[]> {
  const addresses = (await store.list()).filter((address) => address.provider === provider);
  const found: Candidate[] = [];
  const read = async (entry: string): Promise<Candidate | undefined> => {
    try {
      return { entry, request: seen(await store.read(entry)) };
    } catch {
      return undefined; // broken: reported where recordings are checked
    }
  };
  for (let at = 0; at < addresses.length; at += AT_ONCE) {
    const some = await Promise.all(addresses.slice(at, at + AT_ONCE).map(({ entry }) => read(entry)));
    found.push(...some.filter((one) => one !== undefined));
  }
  return found;
}
