import { localize } from "../../base/localize.ts";
import { createClientLeft, explain, type TapedeckError } from "../../base/errors.ts";
import { leavesMachine } from "../../protocol/upstream-address.ts";
import type { Exchange } from "../../match/read-request.ts";
import { computeCharge, type ReceivedReply } from "./charge.ts";
import { countJob } from "./jobs.ts";
import { findSpentBudget, type Limits } from "./limits.ts";
import { estimateMost, type MaxCost } from "./most.ts";
import { createReservations } from "./reservations.ts";
import { findUnknownPrice, isFree } from "./unknown-price.ts";
import {
  addSpending,
  countTokens,
  NOTHING_SPENT,
  ONE_CALL,
  computeDifference,
  type Spending,
} from "../../call/spending.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import type { OwnPrices } from "../../view/prices/own-prices.ts";

/** A call that may cost money. */
export interface PaidCall {
  readonly provider: string;
  readonly model?: string;
  /** The upstream address, if the client set one. */
  readonly origin?: string;
  /** The same object for all calls of a run until its counters are reset. */
  readonly scope: object;
}

/** The parts of the budget that the caller supplies. */
export interface BudgetRules {
  readonly limits?: () => Limits;
  /** The user's own prices. */
  readonly prices?: () => OwnPrices;
  /** Runs before each call to another machine. If it returns an error, the client gets that instead of an answer. */
  readonly beforePaidCall?: (call: PaidCall) => Promise<TapedeckError | undefined>;
  readonly warn: (message: string) => void;
}

/** A call that may be sent. Always call `end`, also after `charge` or `refund`, because other calls may wait for it. */
export interface CallBudget {
  /**
   * Returns a function for the call's own spending, computed on its first use, or now if a limit depends on it. `as` is a
   * session with its messages.
   */
  charge(answered: ReceivedReply, as?: Exchange): () => Spending;
  /**
   * Counts a part of a session that goes on. Returns why the session has to end: a limit of tokens or cost is reached, or the
   * price of its model, which its first message can name, is unknown. Absent if nothing is limited.
   */
  readonly follow?: (part: ReceivedReply, as: Exchange) => TapedeckError | undefined;
  /** Nothing was sent. */
  refund(): void;
  /** The call has ended. */
  end(): void;
}

/**
 * Counts a call and allows it to be sent. If calls in progress may use up the rest of the budget, waits until their
 * spending is known.
 * @throws TapedeckError `tapedeck_budget` if the budget is spent
 */
export async function beginPaying(rules: BudgetRules, exchange: Exchange): Promise<CallBudget> {
  const { call, provider, facts } = exchange;
  const { run } = call;
  const { model } = facts;
  const limits = (): Limits => rules.limits?.() ?? {};
  const isLimited = Object.values(limits()).some((limit) => typeof limit === "number");
  // Skip `beforePaidCall` for a call that would not be sent.
  const before = isLimited ? findObjection(rules, exchange) : undefined;
  if (before !== undefined) throw before;
  if (rules.beforePaidCall !== undefined && leavesMachine(provider.upstream)) {
    const scope = run.spent;
    const paidCall = { provider: provider.name, scope, ...pickDefined({ model, origin: call.origin }) };
    const answer = await unlessLeft(rules.beforePaidCall(paidCall), call.signal);
    if (answer !== undefined) throw answer;
  }
  const { spent } = run;
  const countCalls = (calls: number): void =>
    void (spent.total = { ...spent.total, calls: spent.total.calls + calls });
  let most: MaxCost | undefined;
  const wish = {
    model,
    most: () => (most ??= mostOrUnknown(rules, exchange)),
    limits,
    objection: () => findObjection(rules, exchange),
    // Count synchronously with the check, so that concurrent calls cannot all pass as the last one.
    begin: () => countCalls(1),
    signal: call.signal,
  };
  const held = isLimited ? await createReservations(spent).hold(wish) : undefined;
  if (held === undefined) wish.begin();
  const charging = createCharging(rules, spent, held && wish.most);
  return {
    ...(isLimited && { follow: (part, as) => charging.follow(part, as) }),
    charge(answered, as = exchange) {
      let charged: Spending | undefined;
      const chargeOnce = (): Spending => (charged ??= charging.charge(answered, as));
      held?.end(isSuccess(answered) ? chargeOnce().costUsd : undefined);
      return chargeOnce;
    },
    refund() {
      countCalls(-1);
      held?.end();
    },
    end: () => held?.end(),
  };
}

/** Adds what a call costs to the spending of its run as of the time when the call began. */
function createCharging(rules: BudgetRules, spent: { total: Spending }, most?: () => MaxCost) {
  const add = (amount: Spending): void =>
    void (spent.total = addSpending(spent.total, { ...amount, calls: 0 }));
  // The part of a session that was counted while it went on.
  let followed = NOTHING_SPENT;
  return {
    follow(part: ReceivedReply, as: Exchange): TapedeckError | undefined {
      const own = part.sizeBytes > 0 ? charge(rules, as, part) : NOTHING_SPENT;
      if (own.estimatedCalls === 0) {
        followed = addSpending(followed, { ...own, calls: 0 });
        add(own);
      }
      return findObjection(rules, as, { isUnderWay: true });
    },
    charge(answered: ReceivedReply, as: Exchange): Spending {
      const counted = charge(rules, as, answered);
      // The messages of a session that is not recorded are gone at its end.
      if (countTokens(followed) > countTokens(counted)) return { ...followed, calls: 1 };
      const { own, added } = countJob(as, answered, counted, most?.());
      add(computeDifference(added, followed));
      return own;
    },
  };
}

/** Returns why a call may not be sent, or may not go on: the budget is spent, or its price is unknown. */
function findObjection(
  { limits, prices }: BudgetRules,
  exchange: Exchange,
  { isUnderWay = false } = {},
): TapedeckError | undefined {
  const { provider, call } = exchange;
  const { total } = call.run.spent;
  const { calls, ...others } = limits?.() ?? {};
  const spent = isUnderWay ? undefined : findSpentBudget(pickDefined({ calls }), total, provider.name);
  if (spent !== undefined || isFree(exchange)) return spent;
  const { costUsd, unknownPrices = false } = others;
  const unknown =
    costUsd === undefined || unknownPrices
      ? undefined
      : findUnknownPrice(exchange, prices?.() ?? {}, costUsd);
  return unknown ?? findSpentBudget(others, total, provider.name);
}

/** A person may take longer to answer than a test waits. */
async function unlessLeft<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const gone = new AbortController();
  const left = new Promise<never>((_, reject) => {
    const leave = (): void =>
      reject(
        createClientLeft(
          localize(
            "The client closed the connection before you answered whether to send a paid call; nothing was recorded.",
          ),
          answerFirst(),
        ),
      );
    signal.addEventListener("abort", leave, { signal: gone.signal });
    if (signal.aborted) leave();
  });
  return Promise.race([answer, left]).finally(() => gone.abort());
}

const answerFirst = (): string => localize("Answer the question, and record again.");

/** Returns an unlimited estimate, so that the call is sent alone, if its request cannot be read. */
function mostOrUnknown({ prices }: BudgetRules, exchange: Exchange): MaxCost {
  try {
    return estimateMost(exchange, prices?.() ?? {});
  } catch {
    return UNKNOWN;
  }
}

const UNKNOWN: MaxCost = { tokens: Infinity, costUsd: Infinity };

const isSuccess = ({ status }: ReceivedReply): boolean => status >= 200 && status < 300;

/** A reply that cannot be read is passed on like any other. */
function charge({ prices, warn }: BudgetRules, exchange: Exchange, answered: ReceivedReply): Spending {
  try {
    return computeCharge(exchange, answered, prices?.() ?? {});
  } catch (error) {
    warn(
      localize(
        "The usage of a call to {0} could not be determined: {1}",
        exchange.provider.name,
        explain(error),
      ),
    );
    return ONE_CALL;
  }
}
