import type { CassetteStore } from "../../cassette/store.ts";
import type { DescribedRequest } from "../../describe.ts";
import type { RuleProposal } from "../../call.ts";
import { inPortions } from "../../portions.ts";
import type { Normaliser } from "../key/key.ts";
import { loadPatterns } from "./patterns.ts";
import { proposeRule, textUnder } from "./propose-rule.ts";
import { readRuled, ruledRequest, type RuledRecording } from "./ruled-request.ts";

/** A rule that was looked at against every recording of its provider and operation. */
export interface ConsideredRule extends RuleProposal {
  /** Entries of other recordings whose key it would change. */
  readonly touched: readonly string[];
  /** How many recordings were looked at. */
  readonly looked: number;
}

export interface Considering {
  readonly store: CassetteStore;
  readonly normalise: Normaliser | undefined;
}

/**
 * The smallest rule under which a missed call would be the recording's at `entry`, with all that it would do.
 * Undefined where no single rule does it. Reads every recording of the provider.
 * @throws TapedeckError where that recording cannot be read.
 */
export async function considerRule(
  asked: DescribedRequest,
  entry: string,
  considering: Considering,
): Promise<ConsideredRule | undefined> {
  const { store, normalise } = considering;
  const compile = await loadPatterns();
  const nearest = ruledRequest(await store.read(entry), normalise);
  const others = await recordingsOf(asked.provider, considering);
  const proposal = await proposeRule(nearest, ruledRequest(asked, normalise), {
    compile,
    others: async () => others,
  });
  if (proposal === undefined) return undefined;
  const [before, after] = [textUnder(undefined, compile), textUnder(proposal.rule, compile)];
  const touched = others.filter((one) => one.entry !== entry && before(one.request) !== after(one.request));
  return { ...proposal, touched: touched.map((one) => one.entry), looked: others.length };
}

async function recordingsOf(
  provider: string,
  { store, normalise }: Considering,
): Promise<readonly RuledRecording[]> {
  const addresses = (await store.list()).filter((address) => address.provider === provider);
  const read = await inPortions(addresses, ({ entry }) => readRuled(entry, store, normalise));
  return read.filter((one) => one !== undefined);
}
