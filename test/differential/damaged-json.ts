import { pick, seeded, type Random } from "../support/seeded.ts";

/** The arguments of a made-up tool call, damaged as models damage JSON. */
export interface DamagedJson {
  readonly text: string;
  readonly damages: readonly string[];
}

/** The same text for the same seed, with one to `most` damages. */
export function damagedJson(seed: number, most = 3): DamagedJson {
  const random = seeded(seed);
  let text = pick(random, WRITERS)(objectOf(random, 2));
  const damages: string[] = [];
  for (let left = 1 + Math.floor(random() * most); left > 0; left -= 1) {
    const name = pick(random, NAMES_OF_DAMAGES);
    damages.push(name);
    text = DAMAGES[name]?.(text, random) ?? text;
  }
  return { text, damages };
}

/** A text as it grows: whole JSON, cut somewhere. */
export function begunJson(seed: number): DamagedJson {
  const random = seeded(seed);
  const text = pick(random, WRITERS)(objectOf(random, 2));
  return { text: text.slice(0, placeIn(random, text)), damages: ["begun"] };
}

/** What JSON is written with, in any order. */
export function scrambledJson(seed: number): DamagedJson {
  const random = seeded(seed);
  const begin = pick(random, ['{"a": ', '{"a": ', "[", ""]);
  const pieces = Array.from({ length: 2 + Math.floor(random() * 16) }, () => pick(random, PIECES));
  return { text: begin + pieces.join(""), damages: ["scrambled"] };
}

const PIECES =
  `{ } [ ] , , : " " " ' \\ a b 1 - . true null // # /* */ “ ” "a" "b" {"a": "x\ty" \\" \\u00e9 \\n ... e5`
    .split(" ")
    .concat(" ", "\n", ": ", ", ") as [string, ...string[]];

type Writer = (value: unknown) => string;
const WRITERS: readonly [Writer, ...Writer[]] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  (value) => JSON.stringify(value).replaceAll('":', '": ').replaceAll(',"', ', "'),
];

const TEXTS: readonly [string, ...string[]] = [
  "weather in Paris",
  "it's fine",
  'say "hi" to Bob',
  "a, b and c",
  "print(1)\nprint(2)",
  "C:\\Users\\x",
  "https://example.com/a?b=1#c",
  "文件",
  "{not json}",
  "[1]",
  "",
  "x: y",
  "def f(a):\n    return {'k': a[0]}",
  "5 // 2",
  "true",
  "# heading\n- item",
  "tab\there",
  " padded ",
];
const NAMES: readonly [string, ...string[]] = ["query", "num", "code", "url", "a b", "is_ok", "n"];

function valueOf(random: Random, depth: number): unknown {
  const chance = random();
  if (depth > 0 && chance < 0.12)
    return Array.from({ length: Math.floor(random() * 4) }, () => valueOf(random, depth - 1));
  if (depth > 0 && chance < 0.25) return objectOf(random, depth - 1);
  if (chance < 0.4) return Math.floor(random() * 2_000) - 500;
  if (chance < 0.45) return Math.round(random() * 1_000) / 100;
  if (chance < 0.53) return pick(random, [true, false, null]);
  return pick(random, TEXTS);
}

function objectOf(random: Random, depth: number): unknown {
  const members = Array.from({ length: 1 + Math.floor(random() * 3) }, () => [
    pick(random, NAMES),
    valueOf(random, depth),
  ]);
  return Object.fromEntries(members);
}

const placeIn = (random: Random, text: string): number => Math.floor(random() * (text.length + 1));
const insert = (text: string, at: number, more: string): string => text.slice(0, at) + more + text.slice(at);

/** Something else at one of the places that a pattern finds. */
function swap(text: string, random: Random, [found, by]: readonly [RegExp, string]): string {
  const [first, ...rest] = text.matchAll(found);
  if (!first) return text;
  const at = pick(random, [first, ...rest]).index;
  return text.slice(0, at) + text.slice(at).replace(new RegExp(found.source), by);
}

type Damage = (text: string, random: Random) => string;
const after =
  (...more: readonly [string, ...string[]]): Damage =>
  (text, random) =>
    text + pick(random, more);

const DAMAGES: Readonly<Record<string, Damage>> = {
  "a fence": (text, random) => pick(random, [`\`\`\`json\n${text}\n\`\`\``, `\`\`\`\n${text}\n\`\`\``]),
  "words before": (text, random) =>
    pick(random, ["Here are the arguments: ", "Sure!\n", "args = ", "json\n"]) + text,
  "words after": after("\nThat is all.", " // done", "\n\nNote: x", ".", " and more"),
  "a bracket more": after("}", "]", "}}"),
  "a bracket less": (text) => text.replace(/[}\]]\s*$/, ""),
  "a comment": (text, random) =>
    swap(text, random, [/[,{[]/g, pick(random, ["$& // a comment\n", "$& # note\n", "$& /* why */ "])]),
  "no comma": (text, random) => swap(text, random, [/,\s?/g, " "]),
  "a comma more": (text, random) => swap(text, random, [/[}\]]/g, ",$&"]),
  "single quotes": (text) => text.replaceAll(/\\?"/g, (quote) => (quote === '"' ? "'" : '"')),
  "bare names": (text) => text.replaceAll(/"(\w+)"\s*:/g, "$1:"),
  "bare values": (text) => text.replaceAll(/:\s*"([\w ]+)"/g, ": $1"),
  "Python's words": (text) =>
    text
      .replaceAll(/\btrue\b/g, "True")
      .replaceAll(/\bfalse\b/g, "False")
      .replaceAll(/\bnull\b/g, "None"),
  "a quote less": (text, random) => swap(text, random, [/"/g, ""]),
  "a quote more": (text, random) => swap(text, random, [/"/g, '""']),
  "quotes inside": (text) => text.replaceAll('\\"', '"'),
  "raw line ends": (text) => text.replaceAll("\\n", "\n"),
  "raw backslashes": (text) => text.replaceAll("\\\\", "\\"),
  "no colon": (text, random) => swap(text, random, [/":\s?/g, '" ']),
  "the end lost": (text, random) => text.slice(0, placeIn(random, text)),
  "a character lost": (text, random) => {
    const at = placeIn(random, text);
    return text.slice(0, at) + text.slice(at + 1);
  },
  "a character more": (text, random) =>
    insert(text, placeIn(random, text), pick(random, ['"', ...Array.from("{}[],:\\'x1 \n/#-“”"), "..."])),
  "curly quotes": (text) => text.replaceAll(/"([^"\\]*)"/g, "“$1”"),
  twice: (text, random) => text + pick(random, ["", " ", "\n", ","]) + text,
};
const NAMES_OF_DAMAGES = Object.keys(DAMAGES) as [string, ...string[]];
