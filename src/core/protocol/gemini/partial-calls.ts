import { fieldsOf, isFields, listOf, textIn, type Fields } from "../../base/lenient.ts";

/** Puts together calls whose arguments come in pieces; all other parts pass. */
interface CallJoiner {
  /** The parts that are whole now. */
  take(part: Fields): readonly Fields[];
  /** A call that the stream left open. */
  rest(): readonly Fields[];
}

/**
 * A call in pieces begins with its name, goes on with values by their JSON path, and ends with a piece that does not
 * go on. Source: Vertex AI, "Streaming function call arguments", and recorded traffic, 2026-11.
 */
export function createCallJoiner(): CallJoiner {
  let open: { readonly part: Fields; args: unknown } | undefined;
  const rest = (): readonly Fields[] => {
    if (open === undefined) return [];
    const { part, args } = open;
    open = undefined;
    return [{ ...part, functionCall: { ...fieldsOf(part["functionCall"]), args } }];
  };
  return {
    rest,
    take(part) {
      const call = part["functionCall"];
      if (!isFields(call)) return [part];
      const goesOn = call["willContinue"] === true;
      if (textIn(call["name"]) !== undefined) {
        const before = rest();
        open = { part, args: withValues(fieldsOf(call["args"]), call) };
        return goesOn ? before : [...before, ...rest()];
      }
      if (open === undefined) return [];
      open.args = withValues(open.args, call);
      return goesOn ? [] : rest();
    },
  };
}

function withValues(args: unknown, call: Fields): unknown {
  return listOf(call["partialArgs"]).reduce<unknown>((grown, one) => {
    const piece = fieldsOf(one);
    const path = stepsOf(String(piece["jsonPath"]));
    return path.length === 0 || path.length > DEEPEST ? grown : withValue(grown, path, piece);
  }, args);
}

const DEEPEST = 100;
/** A list is not grown by more than this beyond its end: a number in a path is the provider's word only. */
const LONGEST_GAP = 1000;

/** The steps of `$.operations[0].action`. */
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
  const fields = fieldsOf(at);
  const known = Object.hasOwn(fields, step) ? fields[step] : undefined;
  return { ...fields, [step]: withValue(known, further, piece) };
}

/** Pieces of a text are appended; all else comes whole. */
function valueOf(before: unknown, piece: Fields): unknown {
  if (typeof piece["stringValue"] === "string")
    return (typeof before === "string" ? before : "") + piece["stringValue"];
  if (typeof piece["numberValue"] === "number") return piece["numberValue"];
  if (typeof piece["boolValue"] === "boolean") return piece["boolValue"];
  return null;
}
