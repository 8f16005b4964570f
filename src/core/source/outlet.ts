import { joinBytes } from "../wire/text.ts";

/** Lets bytes out in order, up to a position that moves on. */
export interface Outlet {
  /** Takes in the next bytes and gives back those before `until`, a position in the stream, that did not go out yet. */
  push(bytes: Uint8Array, until: number): Uint8Array;
  /** What did not go out. */
  held(): Uint8Array;
}

export function createOutlet(): Outlet {
  /** Oldest first; joined only when some of it goes, so that a long event is not copied with each of its pieces. */
  let waiting: Uint8Array[] = [];
  let out = 0;
  return {
    push(bytes, until) {
      waiting.push(bytes);
      if (until <= out) return new Uint8Array(0);
      const open = joinBytes(waiting);
      const going = open.subarray(0, until - out);
      waiting = going.byteLength < open.byteLength ? [open.slice(going.byteLength)] : [];
      out += going.byteLength;
      return going;
    },
    held: () => joinBytes(waiting),
  };
}
