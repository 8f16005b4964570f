import { createCutter, cutAll, type Cutter } from "./cutter.ts";

const LF = 0x0a;

/** Cuts newline-delimited JSON after each line feed, which belongs to the line that it ends. */
export function createLineCutter(): Cutter {
  return createCutter((byte) => (byte === LF ? "after" : undefined));
}

/** The lines of a whole body; joined they are the body. A last one without a line feed is kept. */
export function cutLines(body: Uint8Array): Uint8Array[] {
  return cutAll(createLineCutter(), body);
}
