/**
 * Cuts a command line into words as a shell does: blanks part them, quotes hold them together.
 * Nothing is expanded. A quote that is never closed reaches to the end.
 */
export function commandWords(line: string): readonly string[] {
  const words: string[] = [];
  const pieces = /(\s+)|"((?:\\["\\$`]|[^"])*)"?|'([^']*)'?|\\([\s\S])|([^\s"'\\]+)/g;
  let word: string | undefined;
  for (const [, blank, double, single, escaped, plain] of line.matchAll(pieces)) {
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word = (word ?? "") + (double?.replace(/\\(["\\$`])/g, "$1") ?? single ?? escaped ?? plain ?? "");
  }
  return word === undefined ? words : [...words, word];
}
