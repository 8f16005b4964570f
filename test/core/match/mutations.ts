import { isDeepStrictEqual } from "node:util";

/** One change to a request: of a word, a number, a tool, an order … */
export interface Mutation {
  /** The change, for a failing test's message. */
  readonly what: string;
  readonly value: unknown;
}

type Change = (parent: Record<string | number, unknown>, name: string | number) => void;

/** About `most` of the single changes to `value`, from all over it, each on a copy; none that changes nothing. */
export function* mutationsOf(value: unknown, most: number): Generator<Mutation> {
  const original = structuredClone(value);
  const places = [...changesIn(original, [])];
  const step = Math.max(1, places.length / most);
  for (let at = 0; at < places.length; at += step) {
    const place = places[Math.floor(at)];
    if (place === undefined) return;
    const mutated = changed(original, place);
    if (!isDeepStrictEqual(mutated, original))
      yield { what: `${place.what} at /${place.path.join("/")}`, value: mutated };
  }
}

function changed(value: unknown, { path, change }: Place): unknown {
  const holder: Record<string | number, unknown> = { root: structuredClone(value) };
  const steps = ["root", ...path];
  const last = steps.pop() ?? "root";
  let parent = holder;
  for (const step of steps) parent = parent[step] as Record<string | number, unknown>;
  change(parent, last);
  return holder["root"];
}

interface Place {
  readonly path: readonly (string | number)[];
  readonly what: string;
  readonly change: Change;
}

function* changesIn(value: unknown, path: readonly (string | number)[]): Generator<Place> {
  for (const [what, change] of changesOf(value)) yield { path, what, change };
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) yield* changesIn(element, [...path, index]);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) yield* changesIn(inner, [...path, name]);
  }
}

/** The changes to one value itself, not to what is in it. */
function* changesOf(value: unknown): Generator<readonly [string, Change]> {
  if (typeof value === "string") yield* textChanges(value);
  else if (typeof value === "number") {
    yield ["a number plus one", put(value + 1)];
    yield ["a number as text", put(String(value))];
  } else if (typeof value === "boolean") yield ["the opposite", put(!value)];
  else if (value === null) yield ["false for null", put(false)];
  else if (Array.isArray(value)) yield* listChanges(value);
  else if (typeof value === "object") yield* memberChanges(value as Record<string, unknown>);
}

function* textChanges(text: string): Generator<readonly [string, Change]> {
  const words = text.split(" ");
  const middle = Math.floor(words.length / 2);
  yield ["another word", put(words.with(middle, `${words[middle] ?? ""}x`).join(" "))];
  yield ["a blank at the end", put(`${text} `)];
  yield [
    "a letter in another case",
    put(text.charAt(0) === text.charAt(0).toUpperCase() ? text.toLowerCase() : text.toUpperCase()),
  ];
  if (words.length > 1) yield ["words in another order", put([...words.slice(1), words[0]].join(" "))];
}

function* listChanges(list: readonly unknown[]): Generator<readonly [string, Change]> {
  const last = list.length - 1;
  yield ["one more element", put([...list, structuredClone(list[last]) ?? "one"])];
  if (list.length > 0) yield ["one element fewer", put(list.slice(0, last))];
  if (list.length > 1) {
    yield ["two elements in another order", put([list[last], ...list.slice(1, last), list[0]])];
    yield ["the first element gone", put(list.slice(1))];
  }
}

function* memberChanges(value: Record<string, unknown>): Generator<readonly [string, Change]> {
  yield ["one more member", put({ ...value, added: 1 })];
  for (const [name, inner] of Object.entries(value)) {
    const { [name]: _, ...others } = value;
    yield [`without ${name}`, put(others)];
    yield [`${name} renamed`, put({ ...others, [`${name}_`]: inner })];
  }
}

function put(value: unknown): Change {
  return (parent, name) => {
    parent[name] = value;
  };
}
