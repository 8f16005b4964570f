import type { Disposable } from "../../core/call.ts";
import { type ReadFacts, searchableText } from "./call-facts-model.ts";
import type { RecordingIndex } from "./recording-index-model.ts";
import { createListeners } from "../../core/listeners.ts";

/** Looks for words also where the index could not keep the whole text of a recording. */
export interface DeepSearch extends Disposable {
  /** Undefined until the file was read again; `onDidChange` tells when it was. */
  contains(entry: string, facts: ReadFacts, word: string): boolean | undefined;
  readonly pending: number;
  onDidChange(listener: () => void): Disposable;
}

const NOTHING: ReadonlySet<string> = new Set();

/** `pause` lets others run between two files. */
export function createDeepSearch(
  index: Pick<RecordingIndex, "read">,
  pause: () => Promise<void>,
): DeepSearch {
  const changed = createListeners<void>();
  /** Facts are made anew when their file changes, so what was found goes with them. */
  const found = new WeakMap<ReadFacts, ReadonlyMap<string, boolean>>();
  const queue = new Map<string, { readonly facts: ReadFacts; readonly words: Set<string> }>();
  let working = false;

  async function work(): Promise<void> {
    for (const [entry, { facts, words }] of queue) {
      const text = await index.read(entry).then(searchableText, () => "");
      const known = found.get(facts) ?? [];
      found.set(
        facts,
        new Map([...known, ...[...words].map((word) => [word, text.includes(word)] as const)]),
      );
      queue.delete(entry);
      if (queue.size % 16 === 0) changed.notify();
      await pause();
    }
    working = false;
  }

  return {
    contains(entry, facts, word) {
      if (facts.text.kept.includes(word)) return true;
      if (facts.text.whole) return false;
      const known = found.get(facts)?.get(word);
      if (known !== undefined) return known;
      const words = queue.get(entry)?.words ?? NOTHING;
      queue.set(entry, { facts, words: new Set([...words, word]) });
      if (!working) {
        working = true;
        work().catch(() => (working = false));
      }
      return undefined;
    },
    get pending() {
      return queue.size;
    },
    onDidChange: (listener) => changed.add(listener),
    dispose() {
      queue.clear();
      changed.clear();
    },
  };
}
