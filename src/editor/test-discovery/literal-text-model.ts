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

const PYTHON = /\\(?:U[0-9a-fA-F]{8}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[0-7]{1,3}|\r\n|[abfnrtv\\'"\n])/g;

/** The same for Python, where an escape that is none stands for itself. */
export function pythonText(source: string): string {
  return source.replace(PYTHON, (escape) => {
    const after = escape.slice(1);
    if (/^[Uux]./.test(after)) return fromCode(after.slice(1), 16, escape);
    if (/^[0-7]/.test(after)) return fromCode(after, 8, escape);
    return after === "a" ? "\u0007" : resolveEscape(after);
  });
}

const resolveEscape = (after: string): string => NAMED[after] ?? after;

function fromCode(digits: string, base: number, none: string): string {
  const point = Number.parseInt(digits, base);
  return point <= 0x10ffff ? String.fromCodePoint(point) : none;
}
