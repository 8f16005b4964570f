import { isMultipart, parseMultipart } from "../base/read-body.ts";
import { decodePercent, decodeUtf8 } from "../base/wire/text.ts";

/** A form field, with the range of bytes of its value in the body. */
export interface FormField {
  readonly name: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** One character a byte: positions in the text are positions in the body. */
const bytewise = new TextDecoder("latin1");

/** The fields of a form in either encoding, its files left out; none of any other body. */
export function readFormFields(body: Uint8Array, contentType = ""): readonly FormField[] {
  if (/^\s*application\/x-www-form-urlencoded/i.test(contentType)) return pairsOf(bytewise.decode(body));
  return isMultipart(contentType) ? readFields(body, contentType) : [];
}

function pairsOf(text: string): readonly FormField[] {
  let next = 0;
  return text.split("&").map((pair) => {
    const [name = ""] = pair.split("=", 1);
    const end = next + pair.length;
    const start = Math.min(end, next + name.length + 1);
    next = end + 1;
    return { name: decodePercent(name), value: decodePercent(text.slice(start, end)), start, end };
  });
}

function readFields(body: Uint8Array, contentType: string): readonly FormField[] {
  const parts = parseMultipart(body, contentType);
  if (typeof parts === "string") return [];
  return parts.flatMap(({ name, filename, content }) => {
    const value = filename === undefined ? decodeUtf8(content) : undefined;
    const start = content.byteOffset - body.byteOffset;
    return name === undefined || value === undefined
      ? []
      : [{ name, value, start, end: start + content.byteLength }];
  });
}
