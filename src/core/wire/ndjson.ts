import { createCutter, cutAll, LF, type Cutter } from "./cutter.ts";

/** Cuts newline-delimited JSON after each line feed, which belongs to the line that it ends. */
export function createLineCutter(): Cutter {
  return createCutter(
    (byte) => (byte === LF ? "after" : undefined),
    () => true,
  );
}

/** The lines of a whole body; joined they are the body. A last one without a line feed is kept. */
export function cutLines(body: Uint8Array): Uint8Array[] {
  return cutAll(createLineCutter(), body);
}
