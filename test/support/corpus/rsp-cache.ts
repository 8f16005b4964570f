import { times } from "./place.ts";
import { aVoice, type Voice } from "./voice.ts";
import { spell } from "./wire.ts";

const SYSTEM_END = "#SYSTEM_MSG_END#";
const SEPARATOR = "#MSG_SEP#";

/** How many of each kind MetaGPT's own file has: 425 entries in all. */
const KINDS: readonly (readonly [count: number, entry: (voice: Voice, index: number) => Entry])[] = [
  [339, (voice, index) => [`${voice.text()}\n\n## format example\n[CONTENT]\n${index}`, voice.text()]],
  [
    57,
    (voice, index) => [
      `You are ${voice.sentence()}${SYSTEM_END}${voice.text()} ${index}`,
      `\n${voice.text()}`,
    ],
  ],
  [11, (voice, index) => [[voice.text(), voice.text(), String(index)].join(SEPARATOR), voice.text()]],
  // The key of a call for code is Python's JSON of its messages, the answer an object.
  [
    17,
    (voice, index) => [
      spell([{ role: "user", content: `${voice.text()} ${index}` }], "ascii"),
      { language: "python", code: `print(${JSON.stringify(voice.sentence())})\n` },
    ],
  ],
  // Looks like a number, so that a plain object would put it first.
  [1, () => ["7", ""]],
];

type Entry = readonly [key: string, answer: string | Readonly<Record<string, string>>];

/**
 * A response cache in the form in which MetaGPT keeps its own (`tests/data/rsp_cache.json`): as many entries of each
 * kind, written as Python's `json.dump(…, indent=4, ensure_ascii=False)` writes it, without a newline at the end.
 */
export function rspCacheText(): string {
  const voice = aVoice(425);
  const entries = KINDS.flatMap(([count, entry]) => times(count, (index) => entry(voice, index)));
  const lines = entries.map(([key, answer]) => `    ${JSON.stringify(key)}: ${written(answer)}`);
  return `{\n${lines.join(",\n")}\n}`;
}

function written(answer: Entry[1]): string {
  return JSON.stringify(answer, undefined, 4).replaceAll("\n", "\n    ");
}
