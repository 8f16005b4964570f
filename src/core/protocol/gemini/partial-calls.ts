import { readFields, isFields, readList, readText, type Fields } from "../../base/lenient.ts";

/** Joins calls whose arguments arrive in pieces, and returns other parts unchanged. */
interface CallJoiner {
  /** Adds a part and returns the complete ones. */
  take(part: Fields): readonly Fields[];
  /** Returns the call that is still incomplete. */
  rest(): readonly Fields[];
}

/**
 * Makes a joiner. The first piece of a call has its name; the following ones have values with their JSON paths; the last
 * one does not have `willContinue`. Source: Vertex AI, "Streaming function call arguments", and recorded traffic, 2026-11.
 */
export function createCallJoiner(): CallJoiner {
  let open: { readonly part: Fields; args: unknown } | undefined;
  const rest = (): readonly Fields[] => {
    if (open === undefined) return [];
    const { part, args } = open;
    open = undefined;
    return [{ ...part, functionCall: { ...readFields(part["functionCall"]), args } }];
  };
  return {
    rest,
    take(part) {
      const call = part["functionCall"];
      if (!isFields(call)) return [part];
      const goesOn = call["willContinue"] === true;
      if (readText(call["name"]) !== undefined) {
        const before = rest();
        open = { part, args: withValues(readFields(call["args"]), call) };
        return goesOn ? before : [...before, ...rest()];
      }
      if (open === undefined) return [];
      open.args = withValues(open.args, call);
      return goesOn ? [] : rest();
    },
  };
}

function withValues(args: unknown, call: Fields): unknown {
  return readList(call["partialArgs"]).reduce<unknown>((grown, one) => {
    const piece = readFields(one);
    const path = stepsOf(String(piece["jsonPath"]));
    return path.length === 0 || path.length > DEEPEST ? grown : withValue(grown, path, piece);
  }, args);
}

const DEEPEST = 100;
/** Maximum gap when a list grows, because an index in a path can be any number. */
const LONGEST_GAP = 1000;

/** Parses a path like `$.operations[0].action`. */
function stepsOf(path: string): readonly (string | number)[] {
  const steps = path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/g);
  return [...steps].map(([, name, index, single, double]) =>
    index === undefined ? (name ?? single ?? double ?? "") : Number(index),
  );
}

function withValue(at: unknown, [step, ...further]: readonly (string | number)[], piece: Fields): unknown {
  if (step === undefined) return valueOf(at, piece);
  if (typeof step === "number") {
    const items: unknown[] = Array.isArray(at) ? [...at] : [];
    if (step > items.length + LONGEST_GAP) return items;
    items[step] = withValue(items[step], further, piece);
    return items;
  }
  const fields = readFields(at);
  const known = Object.hasOwn(fields, step) ? fields[step] : undefined;
  return { ...fields, [step]: withValue(known, further, piece) };
}

/** Appends pieces of a string; other values are complete. */
function valueOf(before: unknown, piece: Fields): unknown {
  if (typeof piece["stringValue"] === "string")
    return (typeof before === "string" ? before : "") + piece["stringValue"];
  if (typeof piece["numberValue"] === "number") return piece["numberValue"];
  if (typeof piece["boolValue"] === "boolean") return piece["boolValue"];
  return null;
}
