import { cancelled, type ChatError } from "../../client/errors.ts";

/** Calls `fire` after `ms` milliseconds, and returns a function that cancels it. */
export type Timer = (ms: number, fire: () => void) => () => void;

/** A time limit that also ends if the caller aborts. */
export interface Limit {
  readonly signal: AbortSignal;
  /** Rejects when the time is over or the caller aborts. */
  readonly over: Promise<never>;
  /** Returns the reason for which the limit ended. */
  failure(): ChatError | undefined;
  end(): void;
}

export function createLimit(ms: number, timer: Timer, late: ChatError, outer?: AbortSignal): Limit {
  const controller = new AbortController();
  let failed: ChatError | undefined;
  let reject: (error: ChatError) => void = () => undefined;
  const over = new Promise<never>((_, rejects) => (reject = rejects));
  over.catch(() => undefined);
  const stop = (error: ChatError): void => {
    failed ??= error;
    controller.abort(error);
    reject(error);
  };
  const takeBack = timer(ms, () => stop(late));
  const leave = (): void => stop(cancelled(outer?.reason));
  if (outer?.aborted === true) leave();
  outer?.addEventListener("abort", leave);
  return {
    signal: controller.signal,
    over,
    failure: () => failed,
    end() {
      takeBack();
      outer?.removeEventListener("abort", leave);
    },
  };
}
