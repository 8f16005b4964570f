/**
 * Does what a person would do again where the screen changed under their hand: between the look at a list or an editor
 * and the click, VS Code may fill it anew, and the click meets nothing or something else.
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
