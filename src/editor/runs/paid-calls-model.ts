import type { PaidCall } from "../../core/answer/budget/budget.ts";
import { notAllowedToPay, notPaidInCi } from "../../core/answer/budget/limits.ts";
import type { TapedeckError } from "../../core/base/errors.ts";

/** A call, or a run that is going to make some: then nothing has started yet. */
export type PaidQuestion = PaidCall & { readonly isAhead?: boolean };

/** Stands before every call to another machine: a person allows the first one of a window, and with it the others. */
export type PaidCallGate = (call: PaidQuestion) => Promise<TapedeckError | undefined>;

interface PaidCallOptions {
  /** Whether this window runs unattended: then nobody is asked, and nothing is paid. */
  readonly isCi: () => boolean;
  /** Whether the user wants to be asked. */
  readonly asks: () => boolean;
  /** Resolves to whether calls may be paid in this window. */
  readonly ask: (call: PaidQuestion) => Promise<boolean>;
}

/** Calls at the same time wait for one answer. A no holds until the run begins again, a yes as long as the window. */
export function createPaidCallGate({ isCi, asks, ask }: PaidCallOptions): PaidCallGate {
  const declined = new WeakSet();
  let isAllowed = false;
  let asking: Promise<boolean> | undefined;
  return async (call) => {
    if (isCi()) return notPaidInCi(call.provider);
    if (isAllowed || !asks()) return undefined;
    if (!declined.has(call.scope)) {
      asking ??= ask(call).finally(() => (asking = undefined));
      if (await asking) {
        isAllowed = true;
        return undefined;
      }
      declined.add(call.scope);
    }
    return notAllowedToPay(call.provider);
  };
}

/** What the question says below its first line. */
export function questionDetail(
  { provider, model, isAhead = false }: PaidQuestion,
  limits: readonly string[],
): string {
  const what = model === undefined ? `A call to ${provider}` : `A call to ${provider} (${model})`;
  const waits = isAhead
    ? `The tests are about to start, and their calls to ${provider} are sent with your key.`
    : `${what} waits to be sent with your key.`;
  const bound = limits.length === 0 ? "No limit is set" : `A run may take ${limits.join(", ")}`;
  return `${waits} ${bound}; see the settings tapedeck.limits. You are asked once in a window.`;
}
