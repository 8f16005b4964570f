import type { Steps } from "../steps.ts";
import { isJsonText, literalsIn, type StringLiteral } from "./string-literals.ts";

/** A literal that is a value, and where in the JSON it is. */
export interface PlacedLiteral extends StringLiteral {
  /** Names and indexes on the way; an object's own `index` and the like take part, since pieces of a stream say so. */
  readonly place: string;
}

/** An object or array on the way to a literal. */
interface Container {
  readonly parent: Container | undefined;
  /** Its own name or index in what it stands in. */
  readonly name: string;
  readonly isArray: boolean;
  /** What tells the parts of an answer apart of which pieces come in turn: `index`, `output_index`, `content_index`. */
  indexes: string;
  /** How many commas were passed. */
  count: number;
  /** The member that is read, once its name is. */
  member: string | undefined;
}

const COMMA = 44;
const COLON = 58;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** So much is read of a long text before others have their turn. */
const STEP = 262_144;

/** The strings of a JSON value that are no names, with their places. Empty for what is no JSON. */
export function* placedLiterals(json: string): Steps<readonly PlacedLiteral[]> {
  if (!isJsonText(json)) return [];
  const literals = yield* literalsIn(json);
  if (literals === undefined) return [];
  const found: { readonly literal: StringLiteral; readonly within: Container; readonly name: string }[] = [];
  let within: Container | undefined;
  let at = 0;
  let next = STEP;
  for (const literal of [...literals, { start: json.length, end: json.length, value: "" }]) {
    for (; at < literal.start; at += 1) {
      within = enter(json, at, within);
      if (at < next) continue;
      next = at + STEP;
      yield;
    }
    at = literal.end;
    if (within === undefined) continue;
    if (within.isArray || within.member !== undefined)
      found.push({ literal, within, name: within.member ?? `${within.count}` });
    else within.member = literal.value;
  }
  const places = new Map<Container, string>();
  return found.map(({ literal, within: container, name }) => ({
    ...literal,
    place: `${containerPlace(container, places)}/${name}`,
  }));
}

/** Where the text is once the character is read. */
function enter(json: string, at: number, within: Container | undefined): Container | undefined {
  const code = json.charCodeAt(at);
  if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
    const name = within === undefined ? "" : `/${within.member ?? within.count}`;
    return { parent: within, name, isArray: code === OPEN_ARRAY, indexes: "", count: 0, member: undefined };
  }
  if (within === undefined) return undefined;
  if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) return within.parent;
  if (code === COMMA) {
    within.count += 1;
    within.member = undefined;
  } else if (code === COLON && within.member !== undefined && /(?:^|_)index$/.test(within.member)) {
    const number = /^\s{0,9}(-?\d{1,20})/.exec(json.slice(at + 1, at + 32))?.[1];
    if (number !== undefined) within.indexes += `#${within.member}=${number}`;
  }
  return within;
}

function containerPlace(container: Container, known: Map<Container, string>): string {
  const place = known.get(container);
  if (place !== undefined) return place;
  const { parent, name, indexes } = container;
  const own = `${parent === undefined ? "" : containerPlace(parent, known)}${name}${indexes}`;
  known.set(container, own);
  return own;
}
