/** Matches one variable: its name, then its value, either quoted or up to a comment. */
const LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(?:"((?:[^"\\\r\n]|\\.)*)"|'([^'\r\n]*)'|(\S(?:[^\r\n#]|(?<!\s)#)*))/gmu;

/** Returns the variables with a value in a `.env` file. If one is set several times, the last one wins. */
export function readDotenv(text: string): Readonly<Record<string, string>> {
  const found = [...text.matchAll(LINE)].map(
    ([, name = "", double, single, bare = ""]) => [name, double ?? single ?? bare.trimEnd()] as const,
  );
  return Object.fromEntries(found);
}
