import { explain, isTapedeckError, type TapedeckError } from "../errors.ts";
import { isLoopback } from "../protocol/upstream-address.ts";
import type { Exchange } from "../source/source.ts";
import { chargeOf, type Answered } from "./charge.ts";
import { budgetSpent, type Limits } from "./limits.ts";
import type { OwnPrices } from "./price-of.ts";
import { addSpending, ONE_CALL, type Spending } from "./spending.ts";

/** A call that somebody may have to pay for. */
export interface PaidCall {
  readonly provider: string;
  readonly model?: string;
  /** The same for all calls of a run until it begins again from nothing. */
  readonly scope: object;
}

/** What of the budget the world decides. */
export interface BudgetRules {
  readonly limits?: () => Limits;
  /** The user's own prices. */
  readonly prices?: () => OwnPrices;
  /** Asked before each call to another machine; what it gives back is what the client gets instead of an answer. */
  readonly beforePaidCall?: (call: PaidCall) => Promise<TapedeckError | undefined>;
  readonly warn: (message: string) => void;
}

/** A call that was let go: exactly one of the two is called when it is known how it ended. */
export interface Paying {
  /** What the call took by itself. */
  charge(answered: Answered): Spending;
  /** Nothing was sent. */
  refund(): void;
}

/** Lets a call go, counted, or throws why not. @throws TapedeckError `tapedeck_budget` */
export async function beginPaying(rules: BudgetRules, exchange: Exchange): Promise<Paying> {
  const { call, provider, facts } = exchange;
  const { run } = call;
  const check = (): void => {
    const error = budgetSpent(rules.limits?.() ?? {}, run.spent.total, provider.name);
    if (error !== undefined) throw error;
  };
  // Nobody is asked about a call that would not be sent.
  check();
  if (rules.beforePaidCall !== undefined && leavesMachine(provider.upstream)) {
    const { model } = facts;
    const scope = run.spent;
    const objection = await rules.beforePaidCall({
      provider: provider.name,
      scope,
      ...(model !== undefined && { model }),
    });
    if (objection !== undefined) throw objection;
    check();
  }
  // From the check to here nothing waits: calls at the same time cannot all be the last one.
  const { spent } = run;
  const add = (amount: Spending): void => void (spent.total = addSpending(spent.total, amount));
  add(ONE_CALL);
  return {
    charge(answered) {
      const charged = charge(rules, exchange, answered);
      add({ ...charged, calls: 0 });
      return charged;
    },
    refund: () => add({ ...ONE_CALL, calls: -1 }),
  };
}

/** A reply that cannot be read is passed on like any other. */
function charge({ prices, warn }: BudgetRules, exchange: Exchange, answered: Answered): Spending {
  try {
    return chargeOf(exchange, answered, prices?.() ?? {});
  } catch (error) {
    warn(`What a call to ${exchange.provider.name} took could not be told: ${explain(error)}`);
    return ONE_CALL;
  }
}

/** What is asked of this machine is not paid for, as far as anybody can tell. */
function leavesMachine(upstream: string | undefined): boolean {
  return upstream !== undefined && !isLoopback(new URL(upstream).hostname);
}

/** Whether a call that failed was never sent: our own refusals are, all else may have been. */
export function wasNotSent(error: unknown): boolean {
  return isTapedeckError(error) && error.code !== "tapedeck_upstream";
}
