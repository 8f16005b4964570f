/** Waits until a person pauses in a text: looking for its tests at every key would slow the typing down. */
export interface TypingRest {
  edited(text: string): void;
  /** How long the last look at a text took, in milliseconds. A text that takes long waits longer. */
  took(text: string, ms: number): void;
  /** Resolves once the text was not edited for a while, or `isOver` is true. At once for one that nobody edited. */
  rested(text: string, isOver?: () => boolean): Promise<void>;
  forget(text: string): void;
}

interface TypingRestOptions {
  /** Milliseconds. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

const LEAST_MS = 250;
const MOST_MS = 2_000;

export function createTypingRest({ now, wait }: TypingRestOptions): TypingRest {
  const editedAt = new Map<string, number>();
  const costs = new Map<string, number>();
  const leftOf = (text: string): number => {
    const at = editedAt.get(text);
    const pause = Math.min(MOST_MS, Math.max(LEAST_MS, costs.get(text) ?? 0));
    return at === undefined ? 0 : at + pause - now();
  };
  return {
    edited: (text) => void editedAt.set(text, now()),
    took: (text, ms) => void costs.set(text, ms),
    async rested(text, isOver = () => false) {
      for (let left = leftOf(text); left > 0 && !isOver(); left = leftOf(text)) await wait(left);
    },
    forget(text) {
      editedAt.delete(text);
      costs.delete(text);
    },
  };
}
