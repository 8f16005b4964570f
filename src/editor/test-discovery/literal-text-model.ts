const NAMED: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
  "\n": "",
  "\r\n": "",
};

const JAVASCRIPT = /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|[\s\S])/g;

/** What stands between the quotes of a JavaScript string or template, resolved. Never fails: it is being typed. */
export function javascriptText(source: string): string {
  return source.replace(JAVASCRIPT, (escape) => {
    const after = escape.slice(1);
    return /^[ux]./.test(after)
      ? fromCode(after.replace(/[^0-9a-fA-F]/g, ""), 16, after)
      : resolveEscape(after);
  });
}

const resolveEscape = (after: string): string => NAMED[after] ?? after;

function fromCode(digits: string, base: number, none: string): string {
  const point = Number.parseInt(digits, base);
  return point <= 0x10ffff ? String.fromCodePoint(point) : none;
}
