/**
 * Waits until a condition holds, and resolves to its value; `what` as a function describes the state at the end.
 * @throws Error `never: …` after a minute without it.
 */
export async function eventually<T>(
  what: string | (() => string),
  found: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const until = Date.now() + 60_000;
  for (;;) {
    const value = await found();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > until) throw new Error(`never: ${typeof what === "string" ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
