/** Which documents have a feature. Features share buckets where they must: what comes out is a guess to be checked. */
export interface Postings {
  add(document: number, features: Uint32Array): void;
  /** `features` are those with which the document was added. */
  remove(document: number, features: Uint32Array): void;
  /** In about how many documents a feature is. */
  count(feature: number): number;
  /** Visits documents that have the feature, the latest first; of a frequent feature only the first ones. Gives how many. */
  each(feature: number, visit: (document: number) => void): number;
}

const BUCKETS = 1 << 20;
/** The bits of a feature that tell its bucket. */
const BUCKET = BUCKETS - 1;
/** A feature of more documents than this tells little: no more of them are listed. */
const LISTED = 512;

/** Takes 8 bytes a posting, and 8 MB of address space that is touched only where there are features. */
export function createPostings(): Postings {
  const counts = new Int32Array(BUCKETS);
  const lists = createLists(BUCKETS);
  return {
    add(document, features) {
      for (const feature of features) {
        const bucket = feature & BUCKET;
        const count = counts[bucket] ?? 0;
        counts[bucket] = count + 1;
        if (count < LISTED) lists.push(bucket, document);
      }
    },
    remove(document, features) {
      for (const feature of features) {
        const bucket = feature & BUCKET;
        counts[bucket] = Math.max(0, (counts[bucket] ?? 0) - 1);
        lists.drop(bucket, document);
      }
    },
    count: (feature) => counts[feature & BUCKET] ?? 0,
    each: (feature, visit) => lists.each(feature & BUCKET, visit),
  };
}

interface Lists {
  push(list: number, item: number): void;
  /** Takes the item out once, if it is there. */
  drop(list: number, item: number): void;
  each(list: number, visit: (item: number) => void): number;
}

/** Many short lists of numbers, linked in flat arrays. Node 0 is none. */
function createLists(size: number): Lists {
  const heads = new Int32Array(size);
  let items = new Int32Array(1024);
  let nexts = new Int32Array(1024);
  let end = 1;
  let vacant = 0;

  const allocate = (): number => {
    if (vacant !== 0) {
      const node = vacant;
      vacant = nexts[node] ?? 0;
      return node;
    }
    if (end === items.length) {
      items = doubleLength(items);
      nexts = doubleLength(nexts);
    }
    end += 1;
    return end - 1;
  };

  return {
    push(list, item) {
      const node = allocate();
      items[node] = item;
      nexts[node] = heads[list] ?? 0;
      heads[list] = node;
    },
    drop(list, item) {
      let previous = 0;
      let node = heads[list] ?? 0;
      while (node !== 0 && items[node] !== item) {
        previous = node;
        node = nexts[node] ?? 0;
      }
      if (node === 0) return;
      if (previous === 0) heads[list] = nexts[node] ?? 0;
      else nexts[previous] = nexts[node] ?? 0;
      nexts[node] = vacant;
      vacant = node;
    },
    each(list, visit) {
      let count = 0;
      for (let node = heads[list] ?? 0; node !== 0; node = nexts[node] ?? 0) {
        visit(items[node] ?? 0);
        count += 1;
      }
      return count;
    },
  };
}

/** The same numbers, and as many zeros after them. */
function doubleLength(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(numbers.length * 2);
  longer.set(numbers);
  return longer;
}
