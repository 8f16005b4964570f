import { cancelled, chatError, type ChatError } from "../../errors.ts";

/** Calls back after so many milliseconds, unless it is taken back. */
export type Timer = (ms: number, fire: () => void) => () => void;

/** The time that a call may take in all, and the caller's leave to end it. */
export interface TotalTimeout {
  readonly signal: AbortSignal;
  /** Rejects when the time is over or the caller left. */
  readonly over: Promise<never>;
  /** Why it was over, where it was. */
  failure(): ChatError | undefined;
  end(): void;
}

export function totalTimeout(ms: number, timer: Timer, outer: AbortSignal | undefined): TotalTimeout {
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
  const text = `The call took longer than ${ms / 1000} seconds in all.`;
  const takeBack = timer(ms, () => stop(chatError("timeout", text)));
  const left = (): void => stop(cancelled(outer?.reason));
  if (outer?.aborted === true) left();
  outer?.addEventListener("abort", left, { once: true });
  return {
    signal: controller.signal,
    over,
    failure: () => failed,
    end() {
      takeBack();
      outer?.removeEventListener("abort", left);
    },
  };
}

export const realTimer: Timer = (ms, fire) => {
  const handle = setTimeout(fire, ms);
  return () => clearTimeout(handle);
};
