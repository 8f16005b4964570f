import { joinList, joinSentences, localize } from "../../core/base/localize.ts";
import type { PaidCall } from "../../core/answer/budget/budget.ts";
import { createNotAllowedToPay, createNotPaidInCi } from "../../core/answer/budget/limits.ts";
import type { TapedeckError } from "../../core/base/errors.ts";

/** A call, or a run that is about to start (`isAhead`). */
export type PaidQuestion = PaidCall & { readonly isAhead?: boolean };

/** Checks every call to another machine. A person allows the first one of a window, and thereby all others. */
export type PaidCallGate = (call: PaidQuestion) => Promise<TapedeckError | undefined>;

interface PaidCallOptions {
  /** Whether this window runs unattended. Then no question is shown, and paid calls are refused. */
  readonly isCi: () => boolean;
  /** Whether the user wants to be asked. */
  readonly asks: () => boolean;
  /** Resolves to whether calls may be paid in this window. */
  readonly ask: (call: PaidQuestion) => Promise<boolean>;
}

/** Concurrent calls wait for one answer. A refusal applies to the run, a permission to the window. */
export function createPaidCallGate({ isCi, asks, ask }: PaidCallOptions): PaidCallGate {
  const declined = new WeakSet();
  let isAllowed = false;
  let asking: Promise<boolean> | undefined;
  return async (call) => {
    if (isCi()) return createNotPaidInCi(call.provider);
    if (isAllowed || !asks()) return undefined;
    if (!declined.has(call.scope)) {
      asking ??= ask(call).finally(() => (asking = undefined));
      if (await asking) {
        isAllowed = true;
        return undefined;
      }
      declined.add(call.scope);
    }
    return createNotAllowedToPay(call.provider);
  };
}

/** Composes the details of the question. */
export function describePaidCalls(
  { provider, model, isAhead = false }: PaidQuestion,
  limits: readonly string[],
): string {
  const callee = model === undefined ? provider : localize("{0} ({1})", provider, model);
  const waits = isAhead
    ? localize("The tests are about to start. Their calls to {0} will be sent with your key.", provider)
    : localize("A call to {0} is waiting to be sent with your key.", callee);
  const bound =
    limits.length === 0
      ? localize("No limit is set.")
      : localize("A run can use at most {0}.", joinList(limits));
  const settings = localize(
    "To change this, see the setting tapedeck.limits. Tapedeck asks once per window.",
  );
  return joinSentences(waits, bound, settings);
}
