import { commonSubsequence } from "./align.ts";

/** A piece of a text that changed: what stood there, and what stands there now. One of them may be "". */
export interface WordChange {
  readonly recorded: string;
  readonly asked: string;
}

/** Words with the signs inside them, and scripts without blanks by character; what stands between goes with neither. */
const TOKEN =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}_]+(?:[-.=/:@'’][\p{L}\p{N}_]+)*|\s+|[^\p{L}\p{N}_\s]/gu;

/** Two texts as what both have, as a text, and what changed, in turns. Blanks between two changes belong to them. */
export function wordChanges(recorded: string, asked: string): readonly (string | WordChange)[] {
  const [before, now] = [tokensOf(recorded), tokensOf(asked)];
  const pieces: (string | WordChange)[] = [];
  let from: readonly [number, number] = [0, 0];
  for (const [i, j] of [...commonSubsequence(before, now), [before.length, now.length] as const]) {
    const change = { recorded: before.slice(from[0], i).join(""), asked: now.slice(from[1], j).join("") };
    if (change.recorded !== "" || change.asked !== "") add(pieces, change);
    if (j < now.length) add(pieces, now[j] ?? "");
    from = [i + 1, j + 1];
  }
  return pieces;
}

const tokensOf = (text: string): readonly string[] => text.match(TOKEN) ?? [];

function add(pieces: (string | WordChange)[], piece: string | WordChange): void {
  const last = pieces.at(-1);
  if (typeof piece === "string") {
    if (typeof last === "string") pieces[pieces.length - 1] = last + piece;
    else pieces.push(piece);
    return;
  }
  const before = pieces.at(-2);
  if (typeof last === "string" && /^\s*$/.test(last) && typeof before === "object") {
    pieces.length -= 2;
    pieces.push({
      recorded: before.recorded + last + piece.recorded,
      asked: before.asked + last + piece.asked,
    });
  } else pieces.push(piece);
}

/** So many words of a change are said. */
const LENGTH = 40;
const SAID = 3;

/** What changed between two texts, in words: `"terse" → "brief"`; empty where only blanks did. */
export function changedWords(recorded: string, asked: string): string {
  const changes = wordChanges(recorded, asked)
    .filter((piece) => typeof piece !== "string")
    .filter((change) => `${change.recorded}${change.asked}`.trim() !== "");
  const said = changes.slice(0, SAID).map((change) => {
    const [was, is] = [short(change.recorded), short(change.asked)];
    if (was === "") return `${is} added`;
    return is === "" ? `${was} removed` : `${was} → ${is}`;
  });
  const more = changes.length - said.length;
  return [...said, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

function short(words: string): string {
  const text = words.trim();
  return text === "" ? "" : `"${cut(text, LENGTH)}"`;
}

/** So much is shown of what both texts have before, between and after changes, and of a change. */
const AROUND = 40;
const MARKED = 160;

/** The changes within their texts, as git marks words: `You are [-terse-]{+brief+}.` */
export function markedWords(recorded: string, asked: string): string {
  const pieces = wordChanges(recorded, asked);
  return pieces
    .slice(0, 2 * SAID + 1)
    .map((piece, index) => {
      if (typeof piece === "string")
        return around(piece, { isFirst: index === 0, isLast: index === pieces.length - 1 });
      const was = piece.recorded === "" ? "" : `[-${cut(piece.recorded, MARKED)}-]`;
      return piece.asked === "" ? was : `${was}{+${cut(piece.asked, MARKED)}+}`;
    })
    .join("");
}

function around(
  text: string,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): string {
  const characters = Array.from(text);
  if (characters.length <= (isFirst || isLast ? AROUND : 2 * AROUND)) return text;
  const end = isLast ? "" : characters.slice(-AROUND).join("");
  return isFirst ? `…${end}` : `${characters.slice(0, AROUND).join("")}…${end}`;
}

function cut(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length).join("").trimEnd()}…`;
}
