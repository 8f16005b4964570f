/** What this process itself put in the places of recordings, by the hashes of their texts. */
export interface OwnTexts {
  /** Whether it is what was put there last, or is just being put somewhere. */
  isAt(entry: string, hash: string): boolean;
  put(entry: string, hash: string): void;
  /** For a text whose place is not known before it has it: to be called with that, and where it got none without. */
  adding(hash: string): (entry?: string) => void;
}

/** Only calls that are under way at once ask for it: what was put long before is forgotten. */
const MOST = 4_096;

export function createOwnTexts(): OwnTexts {
  const put = new Map<string, string>();
  const adding = new Map<symbol, string>();
  const remember = (entry: string, hash: string): void => {
    put.delete(entry);
    put.set(entry, hash);
    for (const oldest of put.keys()) {
      if (put.size <= MOST) break;
      put.delete(oldest);
    }
  };
  return {
    isAt: (entry, hash) => put.get(entry) === hash || [...adding.values()].includes(hash),
    put: remember,
    adding(hash) {
      const one = Symbol(hash);
      adding.set(one, hash);
      return (entry) => {
        if (entry !== undefined) remember(entry, hash);
        adding.delete(one);
      };
    },
  };
}
