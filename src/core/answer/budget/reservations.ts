import { createClientLeft, type TapedeckError } from "../../base/errors.ts";
import type { Limits } from "./limits.ts";
import { countTokens, type Spending } from "../../call/spending.ts";
import type { MaxCost } from "./most.ts";

/** The spending of one run of the tests. */
interface Spent {
  readonly total: Spending;
}

/** A call that wants to be sent. */
export interface Wish {
  readonly model: string | undefined;
  /** Asked for where there is a limit that it counts for. */
  readonly most: () => MaxCost;
  readonly limits: () => Limits;
  /** Why it may not be sent any more. */
  readonly objection: () => TapedeckError | undefined;
  /** Counts it, in the moment in which it is let go. */
  readonly begin: () => void;
  readonly signal: AbortSignal;
}

/** The amount reserved for a call in progress. Only the first `end` counts. */
export interface Reservation {
  /** Lets waiting calls continue. `costUsd` is the cost of the call, if known. */
  end(costUsd?: number): void;
}

/** The amounts reserved for calls in progress, and the calls that wait for them. */
export class Reservations {
  readonly #spent: Spent;
  readonly #held = new Set<{ readonly tokens: number; readonly costUsd: number }>();
  readonly #waiting = new Set<() => boolean>();
  /** The dearest call so far of each model without a price. */
  readonly #dearest = new Map<string, number>();

  constructor(spent: Spent) {
    this.#spent = spent;
  }

  /**
   * Lets a call go as soon as the limits hold even if it and all under way take as much as they may, or as nothing is
   * under way; in the order of asking. @throws TapedeckError what the wish objects, or that its client left.
   */
  hold(wish: Wish): Promise<Reservation> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(tryIt);
        reject(createClientLeft());
        this.#advance();
      };
      /** False where it has to wait. */
      const tryIt = (): boolean => {
        const objection = wish.objection();
        const amount = objection === undefined ? this.#amountOf(wish) : undefined;
        if (amount !== undefined && !this.#fits(amount, wish.limits())) return false;
        wish.signal.removeEventListener("abort", leave);
        if (amount === undefined) reject(objection);
        else {
          wish.begin();
          resolve(this.#heldFor(wish, amount));
        }
        return true;
      };
      wish.signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(tryIt);
      if (wish.signal.aborted) leave();
      else this.#advance();
    });
  }

  #advance(): void {
    for (const tryIt of this.#waiting) {
      if (!tryIt()) return;
      this.#waiting.delete(tryIt);
    }
  }

  /** Nothing where no limit depends on it. */
  #amountOf(wish: Wish): { readonly tokens: number; readonly costUsd: number } {
    const limits = wish.limits();
    if (limits.tokens === undefined && limits.costUsd === undefined) return { tokens: 0, costUsd: 0 };
    const { tokens, costUsd } = wish.most();
    return {
      tokens: limits.tokens === undefined ? 0 : tokens,
      costUsd: limits.costUsd === undefined ? 0 : (costUsd ?? this.#likeOthers(wish)),
    };
  }

  /** Some providers say themselves what a call took: the first of a model goes alone, to hear it. */
  #likeOthers({ model = "" }: Wish): number {
    return this.#dearest.get(model) ?? Infinity;
  }

  #fits(amount: { readonly tokens: number; readonly costUsd: number }, limits: Limits): boolean {
    let { tokens, costUsd } = amount;
    if (this.#held.size === 0 || tokens + costUsd === 0) return true;
    for (const held of this.#held) {
      tokens += held.tokens;
      costUsd += held.costUsd;
    }
    const { total } = this.#spent;
    return (
      countTokens(total) + tokens <= (limits.tokens ?? Infinity) &&
      total.costUsd + costUsd <= (limits.costUsd ?? Infinity)
    );
  }

  #heldFor(wish: Wish, amount: { readonly tokens: number; readonly costUsd: number }): Reservation {
    if (amount.tokens + amount.costUsd > 0) this.#held.add(amount);
    let isOver = false;
    return {
      end: (costUsd) => {
        if (isOver) return;
        isOver = true;
        const { model = "" } = wish;
        if (costUsd !== undefined) this.#dearest.set(model, Math.max(this.#dearest.get(model) ?? 0, costUsd));
        this.#held.delete(amount);
        this.#advance();
      },
    };
  }
}

const reservations = new WeakMap<Spent, Reservations>();

/** Those of a stretch: what began before it is no matter of it. */
export function createReservations(spent: Spent): Reservations {
  const known = reservations.get(spent) ?? new Reservations(spent);
  reservations.set(spent, known);
  return known;
}
