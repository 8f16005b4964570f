/**
 * The two answers of S3 that are read, lists and errors, have elements of text alone. Names in a list are asked for
 * percent-encoded and cannot hold markup.
 */
export function textOfElement(xml: string, name: string): string | undefined {
  return textsOfElement(xml, name).next().value;
}

/** The texts of all elements of a name, in their order. */
export function* textsOfElement(xml: string, name: string): Generator<string, undefined> {
  const open = `<${name}>`;
  const close = `</${name}>`;
  for (let at = xml.indexOf(open); at !== -1; at = xml.indexOf(open, at)) {
    const end = xml.indexOf(close, at);
    if (end === -1) return;
    yield decodeEntities(xml.slice(at + open.length, end));
    at = end;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/g,
    (whole: string, hex?: string, decimal?: string, named = "") => {
      const code = hex === undefined ? Number(decimal ?? "NaN") : Number.parseInt(hex, 16);
      if (code <= 0x10ffff) return String.fromCodePoint(code);
      return ENTITIES[named] ?? whole;
    },
  );
}
