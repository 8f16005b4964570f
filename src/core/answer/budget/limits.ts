import { tapedeckError, type TapedeckError } from "../../base/errors.ts";
import { plural } from "../../base/plural.ts";
import { dollars, spendingText, tokensOf, type Spending } from "../../call/spending.ts";

/** How much a run may spend. What is absent is not limited. */
export interface Limits {
  readonly calls?: number;
  /** Input and output together. */
  readonly tokens?: number;
  readonly costUsd?: number;
}

/**
 * The failure of a call for which nothing is left, or undefined where it may be sent. Calls are counted when they are
 * sent, tokens and cost when their answers are whole: what is under way at that moment is not cut off.
 */
export function budgetSpent(limits: Limits, spent: Spending, provider: string): TapedeckError | undefined {
  const limit = spentLimit(limits, spent);
  if (limit === undefined) return undefined;
  const message = `The limit of ${limit.text} a run is reached: ${spendingText(spent)}. The call to ${provider} was not sent.`;
  return tapedeckError("tapedeck_budget", message, {
    hint: `Raise it with --${limit.option}, or with "${limit.setting}" in your user setting tapedeck.limits; a new run begins at nothing.`,
  });
}

/** `1,000 calls`, `$10.00`: each limit that is set. */
export function limitTexts({ calls, tokens, costUsd }: Limits): readonly string[] {
  return [
    ...(calls === undefined ? [] : [plural(calls, "call")]),
    ...(tokens === undefined ? [] : [plural(tokens, "token")]),
    ...(costUsd === undefined ? [] : [dollars(costUsd)]),
  ];
}

interface SpentLimit {
  readonly text: string;
  readonly option: string;
  readonly setting: string;
}

function spentLimit({ calls, tokens, costUsd }: Limits, spent: Spending): SpentLimit | undefined {
  if (calls !== undefined && spent.calls >= calls)
    return { text: plural(calls, "call"), option: "max-calls", setting: "calls" };
  if (tokens !== undefined && tokensOf(spent) >= tokens)
    return { text: plural(tokens, "token"), option: "max-tokens", setting: "tokens" };
  if (costUsd !== undefined && spent.costUsd >= costUsd)
    return { text: dollars(costUsd), option: "max-cost", setting: "cost" };
  return undefined;
}

/** A program that runs unattended is about to pay although nobody said so. */
export function notPaidInCi(provider: string): TapedeckError {
  return tapedeckError(
    "tapedeck_budget",
    `In CI no paid call is made: the call to ${provider} was not sent.`,
    {
      hint: "Record on your own machine and commit the recordings, or say it in the command: tapedeck run --mode record, or TAPEDECK_MODE=record.",
    },
  );
}

/** Recordings came from the user's own gateway, and a call would go to the provider instead. */
export function otherUpstream(provider: string, recorded: string, address: string): TapedeckError {
  return tapedeckError(
    "tapedeck_refused",
    `The recordings of ${provider} came from ${recorded}, and this call would have gone to ${address}: it was not sent.`,
    {
      hint: `Record from there: add --upstream ${provider}=${recorded}. If ${address} is meant, add --upstream ${provider}=${address}.`,
    },
  );
}

/** The user was asked and said no, or nothing. */
export function notAllowedToPay(provider: string): TapedeckError {
  return tapedeckError(
    "tapedeck_budget",
    `Paid calls were not allowed: the call to ${provider} was not sent.`,
    { hint: "Run it again and allow them when you are asked, or replay in strict mode." },
  );
}

/** Whether a program runs unattended, by the variable that CI systems set. */
export function isCi({ CI = "" }: Readonly<Record<string, string | undefined>>): boolean {
  return !["", "0", "false", "no"].includes(CI.toLowerCase());
}
