import { createCutter, type Cutter, type FindEnd } from "./cutter.ts";
import { encodeUtf8 } from "./text.ts";

/**
 * Splits a JSON array while it is received: after each object in it, and after its closing bracket. A comma and white
 * space between two objects belong to the second one's piece; the closing bracket is a separate piece.
 */
export const createArrayCutter = (): Cutter => createCutter(findObjectEnd());

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = encodeUtf8('"\\[]{}');

function findObjectEnd(): FindEnd {
  let depth = 0;
  let text: "open" | "escaped" | undefined;

  return (byte) => {
    if (text !== undefined) {
      if (text === "escaped") text = "open";
      else if (byte === BACKSLASH) text = "escaped";
      else if (byte === QUOTE) text = undefined;
      return undefined;
    }
    if (byte === QUOTE) text = "open";
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth -= 1;
      return depth <= 0 || (depth === 1 && byte === CLOSE_OBJECT) ? "after" : undefined;
    }
    return undefined;
  };
}
