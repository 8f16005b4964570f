/** One variable: its name, then its value with quotes around it or up to a comment. */
const LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(?:"((?:[^"\\\r\n]|\\.)*)"|'([^'\r\n]*)'|(\S(?:[^\r\n#]|(?<!\s)#)*))/gmu;

/** The variables that a `.env` file sets to something; of several the last counts. */
export function readDotenv(text: string): Readonly<Record<string, string>> {
  const found = [...text.matchAll(LINE)].map(
    ([, name = "", double, single, bare = ""]) => [name, double ?? single ?? bare.trimEnd()] as const,
  );
  return Object.fromEntries(found);
}
