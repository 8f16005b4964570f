import type { TestRef } from "../call.ts";
import { characterSet, runsIn } from "./runs.ts";

/** A key, token or password that was found by its shape. Its value never reaches a person: see `shownSecret`. */
export interface Secret {
  /** A noun, e.g. "OpenAI key". */
  readonly kind: string;
  readonly value: string;
}

/** Finds secrets in a text by their shape; each value once, in the order in which the rules find them. */
export type Scan = (text: string) => readonly Secret[];

/** The kind of what is a secret by the name before it alone. */
export const BY_ITS_NAME = "secret by its name";

/** What may be told of a secret: what it is, its first four characters and how long it is. */
export function shownSecret({ kind, value }: Secret): string {
  const article = /^[aeiou]/i.test(kind) ? "an" : "a";
  return `${article} ${kind} (${JSON.stringify(value.slice(0, 4))}…, ${value.length} characters)`;
}

/** What stands in the place of a secret. Neither JSON nor an event stream escapes any of it, and no rule finds it. */
export const placeholderOf = ({ kind }: Pick<Secret, "kind">): string => `[redacted: ${kind}]`;

/** In the place of a secret, in documentation and where somebody took one out. */
const BLANKED = /([xX*0.#])\1{11}/;

/** Longer runs without any white space or punctuation are data: secrets are looked for at their ends. */
const LONGEST_RUN = 32_768;
const ENDS = 16_384;

/** What rules find, without what `isAllowed` says is none. */
export function scanWith(scan: Scan, isAllowed: (value: string) => boolean = () => false): Scan {
  return (text) => {
    const found = new Map<string, Secret>();
    for (const secret of scan(condense(withoutFiles(text)))) {
      const { value } = secret;
      if (value === "" || found.has(value) || BLANKED.test(value) || isAllowed(value)) continue;
      found.set(value, secret);
    }
    return withoutParts([...found.values()]);
  };
}

/** So many are compared with one another; of more than that, all are told. */
const COMPARED = 1_000;

/** Two rules may find the same secret, one of them more of it: the longer one is told. */
export function withoutParts(found: readonly Secret[]): readonly Secret[] {
  if (found.length < 2 || found.length > COMPARED) return found;
  return found.filter(
    ({ value }) => !found.some((other) => other.value !== value && other.value.includes(value)),
  );
}

/** How base64 of a picture, a sound, a film, a PDF or an archive begins. */
const FILE =
  /^(?:[/_]9j[/_][24-7]|iVBORw0KGgo|R0lGOD[dl]h|UklGR|SUQz[AB]|T2dnUw|JVBERi0|UEsDB|AAEAAAA|AAAA..Z0eX)/;
const SHORTEST_FILE = 64;
const BASE64 = characterSet(/[A-Za-z0-9+/_-]/);

/** A text without files in base64: what looks like a token in one is none. What they say is read from their bytes. */
function withoutFiles(text: string): string {
  let rest = "";
  let copied = 0;
  for (const { from, to } of runsIn(text, BASE64, SHORTEST_FILE)) {
    if (!FILE.test(text.slice(from, from + SHORTEST_FILE))) continue;
    rest += text.slice(copied, from);
    copied = to;
  }
  return rest + text.slice(copied);
}

/** The end of a run that is longer than this stays whole. */
const LONGEST_CUT = 1_048_576;
const DATA = characterSet(/[A-Za-z0-9+/_=-]/);

function condense(text: string): string {
  if (text.length <= LONGEST_RUN) return text;
  let condensed = "";
  let copied = 0;
  for (const { from, to } of runsIn(text, DATA, LONGEST_RUN + 1)) {
    const end = Math.min(to, from + LONGEST_CUT);
    condensed += `${text.slice(copied, from + ENDS)}\n${text.slice(end - ENDS, end)}`;
    copied = end;
  }
  return condensed + text.slice(copied);
}

/** A test as it is named: its titles, its id, and its file. */
export type TitledTest = Pick<TestRef, "name" | "joined" | "id"> & Partial<Pick<TestRef, "file">>;

/** A long word with a digit, an address, a key's beginning: other texts need no search. */
const WORTH_A_LOOK = /-----BEGIN|:\/\/|(?=\S*\d)\S{12}/;
/** Paths are long: a part of one is worth a look where it is as long as a key. */
const PATH_WORTH_A_LOOK = /(?=[\w-]*\d)[\w-]{20}/;

/** Whether the names of a test may hold a secret; most do not, and the rules need not be loaded for them. */
export function titleMayHoldSecret({ name, joined = "", id = "", file = "" }: TitledTest): boolean {
  return [...name, joined, id].some((text) => WORTH_A_LOOK.test(text)) || PATH_WORTH_A_LOOK.test(file);
}
