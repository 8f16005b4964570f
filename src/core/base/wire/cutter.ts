import { joinBytes } from "./text.ts";

export const LF = 0x0a;
export const CR = 0x0d;

/** Splits a body into the events of its framing while it is received. */
export interface Cutter {
  /** Adds bytes and returns the pieces that are complete now. They can share memory with `bytes`. */
  push(bytes: Uint8Array): Uint8Array[];
  /** Returns the incomplete piece so far without removing it; empty if there is none. */
  rest(): Uint8Array;
}

/** Receives each byte and returns whether a piece ends "before" or "after" it. */
export type FindEnd = (byte: number) => "before" | "after" | undefined;

/**
 * Makes a cutter from a rule about single bytes. The pieces are the same for any chunking. While `inLine` returns true,
 * no piece can end inside the line, so that the bytes up to the next CR or LF are skipped.
 */
export function createCutter(findEnd: FindEnd, inLine: () => boolean = () => false): Cutter {
  let open: Uint8Array[] = [];

  return {
    push(bytes) {
      const whole: Uint8Array[] = [];
      const lineEnd = createLineEnds(bytes);
      let start = 0;
      const cut = (end: number): void => {
        whole.push(joinBytes([...open, ...(end > start ? [bytes.subarray(start, end)] : [])]));
        open = [];
        start = end;
      };
      for (let at = 0; at < bytes.byteLength; at += 1) {
        if (inLine()) at = lineEnd(at);
        if (at === bytes.byteLength) break;
        const end = findEnd(bytes[at] ?? 0);
        if (end !== undefined) cut(end === "before" ? at : at + 1);
      }
      if (start < bytes.byteLength) open.push(bytes.subarray(start));
      return whole;
    },
    rest() {
      open = open.length > 1 ? [joinBytes(open)] : open;
      return open[0] ?? new Uint8Array(0);
    },
  };
}

/** Splits newline-delimited JSON after each line feed, which belongs to its line. */
export function createLineCutter(): Cutter {
  return createCutter(
    (byte) => (byte === LF ? "after" : undefined),
    () => true,
  );
}

/** Finds the end of the line at ascending positions. Each byte is searched at most once for LF and once for CR. */
function createLineEnds(bytes: Uint8Array): (from: number) => number {
  const createNext = (byte: number) => {
    let found = -1;
    return (from: number): number => {
      if (found >= from) return found;
      const at = bytes.indexOf(byte, from);
      return (found = at === -1 ? bytes.byteLength : at);
    };
  };
  const nextLf = createNext(LF);
  const nextCr = createNext(CR);
  return (from) => Math.min(nextLf(from), nextCr(from));
}

/** Splits a complete body into its pieces; an incomplete one at the end is the last piece. */
export function cutAll(cutter: Cutter, body: Uint8Array): Uint8Array[] {
  const pieces = cutter.push(body);
  const rest = cutter.rest();
  return rest.byteLength > 0 ? [...pieces, rest] : pieces;
}
