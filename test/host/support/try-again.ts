/**
 * Retries an action as a person would when the screen changes under their hand: between the look at a list or an editor
 * and the click, VS Code may refill it, and the click hits nothing or a different element.
 * @throws Error of the last attempt.
 */
export async function tryAgain<T>(
  attempt: () => Promise<T>,
  beforeAnother: () => Promise<unknown> = async () => {},
): Promise<T> {
  for (let left = 3; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 1) throw error;
      await beforeAnother();
    }
  }
}

/** How long one attempt waits, in milliseconds. */
export const A_WHILE = { timeout: 10_000 } as const;
