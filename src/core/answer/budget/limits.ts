import { localize, formatOption } from "../../base/localize.ts";
import { createTapedeckError, type TapedeckError } from "../../base/errors.ts";
import { localizeCount } from "../../base/plural.ts";
import { formatDollars, formatSpending, countTokens, type Spending } from "../../call/spending.ts";

/** Maximum spending of a run. A limit that is absent does not apply. */
export interface Limits {
  readonly calls?: number;
  /** Input and output together. */
  readonly tokens?: number;
  readonly costUsd?: number;
  /** Whether calls of unknown price may be sent under a limit of cost, to which they add nothing. Default: no. */
  readonly unknownPrices?: boolean;
}

/**
 * Returns the failure of a call that exceeds the budget; undefined if it may be sent. Calls are counted when they are
 * sent, tokens and cost when their answers are complete, so calls in progress are not interrupted.
 */
export function findSpentBudget(
  limits: Limits,
  spent: Spending,
  provider: string,
): TapedeckError | undefined {
  const limit = spentLimit(limits, spent);
  if (limit === undefined) return undefined;
  const message = localize(
    "The call to {0} was not sent: the limit of {1} per run is reached ({2}).",
    provider,
    limit.text,
    formatSpending(spent),
  );
  return createTapedeckError("tapedeck_budget", message, {
    hint: localize(
      "Raise the limit with {0}, or start a new run.",
      formatOption(`--${limit.option}`, `tapedeck.limits.${limit.setting}`),
    ),
  });
}

/** `1,000 calls`, `$10.00`: each limit that is set. */
export function formatLimits({ calls, tokens, costUsd }: Limits): readonly string[] {
  return [
    ...(calls === undefined ? [] : [localizeCount(calls, "{0} call", "{0} calls")]),
    ...(tokens === undefined ? [] : [localizeCount(tokens, "1 token", "{0} tokens")]),
    ...(costUsd === undefined ? [] : [formatDollars(costUsd)]),
  ];
}

interface SpentLimit {
  readonly text: string;
  readonly option: string;
  readonly setting: string;
}

function spentLimit({ calls, tokens, costUsd }: Limits, spent: Spending): SpentLimit | undefined {
  if (calls !== undefined && spent.calls >= calls)
    return { text: localizeCount(calls, "{0} call", "{0} calls"), option: "max-calls", setting: "calls" };
  if (tokens !== undefined && countTokens(spent) >= tokens)
    return {
      text: localizeCount(tokens, "1 token", "{0} tokens"),
      option: "max-tokens",
      setting: "tokens",
    };
  if (costUsd !== undefined && spent.costUsd >= costUsd)
    return { text: formatDollars(costUsd), option: "max-cost", setting: "cost" };
  return undefined;
}

/** A paid call in CI, which needs an explicit command. */
export function createNotPaidInCi(provider: string): TapedeckError {
  return createTapedeckError(
    "tapedeck_budget",
    localize("The call to {0} was not sent: no paid calls are made in CI.", provider),
    {
      hint: localize(
        "Record on your own machine and commit the recordings, or allow it with tapedeck run --mode record or TAPEDECK_MODE=record.",
      ),
    },
  );
}

/** Recordings came from the user's own gateway, and a call would go to the provider instead. */
export function createOtherUpstream(provider: string, recorded: string, address: string): TapedeckError {
  return createTapedeckError(
    "tapedeck_refused",
    localize(
      "The call to {0} was not sent: its recordings came from {1}, but this call would go to {2}.",
      provider,
      recorded,
      address,
    ),
    {
      hint: localize(
        "To record from there, add --upstream {0}={1}. To record from {2}, add --upstream {3}={4}.",
        provider,
        recorded,
        address,
        provider,
        address,
      ),
    },
  );
}

/** A paid call that the user refused or did not allow. */
export function createNotAllowedToPay(provider: string): TapedeckError {
  return createTapedeckError(
    "tapedeck_budget",
    localize("The call to {0} was not sent: paid calls were not allowed.", provider),
    { hint: localize("Run it again and allow paid calls, or replay in strict mode.") },
  );
}

/** Whether a program runs unattended, by the variable that CI systems set. */
export function isCi({ CI = "" }: Readonly<Record<string, string | undefined>>): boolean {
  return !["", "0", "false", "no"].includes(CI.toLowerCase());
}
