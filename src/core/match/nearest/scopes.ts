import type { KeyedRequest } from "../key/key.ts";

/** The documents of one provider and operation, by number. */
export interface Scope {
  readonly all: ReadonlySet<number>;
  add(document: number): void;
  remove(document: number): void;
  /**
   * Those that are pairs but for what a JSON pointer leads into. Looked for once until a document comes or goes: the
   * misses of a run mostly differ in the same place.
   */
  collisionsAt(pointer: string, find: (all: ReadonlySet<number>) => readonly Pair[]): readonly number[];
}

type Pair = readonly [number, number];

const REMEMBERED_POINTERS = 64;

/** Gives the scope of a request, an empty one where there was none. */
export function createScopes(): (asked: Pick<KeyedRequest, "provider" | "operation">) => Scope {
  const byProvider = new Map<string, Map<string, Scope>>();
  return ({ provider, operation }) => {
    const ofProvider = byProvider.get(provider) ?? new Map<string, Scope>();
    const scope = ofProvider.get(operation) ?? createScope();
    byProvider.set(provider, ofProvider.set(operation, scope));
    return scope;
  };
}

function createScope(): Scope {
  const all = new Set<number>();
  const collisions = new Map<string, readonly number[]>();
  return {
    all,
    add(document) {
      all.add(document);
      collisions.clear();
    },
    remove(document) {
      all.delete(document);
      collisions.clear();
    },
    collisionsAt(pointer, find) {
      const known = collisions.get(pointer);
      if (known !== undefined) return known;
      const found = [...new Set(find(all).flat())];
      if (collisions.size >= REMEMBERED_POINTERS) collisions.clear();
      collisions.set(pointer, found);
      return found;
    },
  };
}
