import type { Clock } from "../core/base/clock.ts";

export const clock: Clock = {
  now: Date.now,
  date: () => new Date().toISOString(),
  ticks: performance.now.bind(performance),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", done, { once: true });
    }),
};
