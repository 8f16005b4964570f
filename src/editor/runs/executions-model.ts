/** The order in which executions of tests were first seen: workers run several of the same test at once. */
export interface Executions {
  /** Notes it where it is new. */
  seen(execution: string): void;
  /** Whether one was seen before another; one that is not known is older than any. */
  isBefore(one: string, other: string): boolean;
}

const MOST = 10_000;

export function createExecutions(): Executions {
  const order = new Map<string, number>();
  let count = 0;
  return {
    seen(execution) {
      if (order.has(execution)) return;
      order.set(execution, (count += 1));
      const [oldest] = order.keys();
      if (order.size > MOST && oldest !== undefined) order.delete(oldest);
    },
    isBefore: (one, other) => (order.get(one) ?? 0) < (order.get(other) ?? 0),
  };
}
