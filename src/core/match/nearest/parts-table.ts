import type { RequestParts } from "./request-parts.ts";

/** Parts of many requests by number, in flat arrays: to look through those of 100,000 is one pass over memory. */
export interface PartsTable {
  set(number: number, parts: RequestParts): void;
  remove(number: number): void;
  /** Where those of each number begin in `data`, and how many numbers of it they are: 0 where there are none. */
  readonly begins: Uint32Array;
  readonly lengths: Uint32Array;
  readonly data: Uint32Array;
}

const FIRST_ROOM = { numbers: 256, data: 4_096 };

export function createPartsTable(): PartsTable {
  let begins = new Uint32Array(FIRST_ROOM.numbers);
  let lengths = new Uint32Array(FIRST_ROOM.numbers);
  let data = new Uint32Array(FIRST_ROOM.data);
  let end = 0;
  let used = 0;

  /** Leaves out what was removed, in an array with room for as much again and for `more`. */
  const makeRoom = (more: number): void => {
    const next = new Uint32Array(2 * (used + more));
    end = 0;
    for (const [number, length] of lengths.entries()) {
      const begin = begins[number] ?? 0;
      next.set(data.subarray(begin, begin + length), end);
      begins[number] = end;
      end += length;
    }
    data = next;
  };
  const remove = (number: number): void => {
    used -= lengths[number] ?? 0;
    lengths[number] = 0;
  };

  return {
    set(number, parts) {
      if (number >= lengths.length) {
        const count = 2 * (number + 1);
        begins = grown(begins, count);
        lengths = grown(lengths, count);
      }
      remove(number);
      if (end + parts.length > data.length) makeRoom(parts.length);
      data.set(parts, end);
      begins[number] = end;
      lengths[number] = parts.length;
      end += parts.length;
      used += parts.length;
    },
    remove,
    get begins() {
      return begins;
    },
    get lengths() {
      return lengths;
    },
    get data() {
      return data;
    },
  };
}

function grown(array: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(array);
  return larger;
}
