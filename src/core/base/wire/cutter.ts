import { joinBytes } from "./text.ts";

export const LF = 0x0a;
export const CR = 0x0d;

/** Cuts a body into the pieces that its protocol sends, while it comes in. */
export interface Cutter {
  /** Takes in the next bytes and gives back the pieces that are whole now. They may share memory with `bytes`. */
  push(bytes: Uint8Array): Uint8Array[];
  /** The beginning of a piece that is not whole yet; empty where there is none. Looking does not take it. */
  rest(): Uint8Array;
}

/** Told every byte; says whether a piece ends "before" or "after" it. */
export type FindEnd = (byte: number) => "before" | "after" | undefined;

/**
 * A cutter for a rule about single bytes: the bytes kept are the same for any way of chunking. Where `inLine` says that
 * nothing can end or change before the line does, the bytes up to the next CR or LF are passed over.
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

/** Cuts newline-delimited JSON after each line feed, which belongs to the line that it ends. */
export function createLineCutter(): Cutter {
  return createCutter(
    (byte) => (byte === LF ? "after" : undefined),
    () => true,
  );
}

/** Where the line ends that a place is in, for places that only move on: no byte is looked at twice for one of the two. */
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

/** All pieces of a whole body; what is left open at its end is the last one. */
export function cutAll(cutter: Cutter, body: Uint8Array): Uint8Array[] {
  const pieces = cutter.push(body);
  const rest = cutter.rest();
  return rest.byteLength > 0 ? [...pieces, rest] : pieces;
}
