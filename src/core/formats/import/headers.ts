import type { WireHeaders } from "../../call.ts";
import { isObject, itemsOf, membersOf, textAt, type FileTree } from "./tree.ts";

/**
 * Header fields in each form that recorders give them: an object of texts or of lists of texts (VCR, nock), a list of
 * `{name, value}` (HAR), a flat list of names and values in turn (nock's raw headers), a list of pairs of these. Names
 * come out in lower case.
 */
export function headersOf(tree: FileTree | undefined): WireHeaders {
  if (isObject(tree))
    return membersOf(tree).flatMap(([name, value]) => valuesOf(value).map((one) => field(name, one)));
  const items = itemsOf(tree);
  if (items.some(isObject))
    return items.flatMap((item) => {
      const [name, value] = [textAt(item, "name"), textAt(item, "value")];
      return name === undefined || value === undefined ? [] : [field(name, value)];
    });
  const texts = items
    .flatMap((item) => (Array.isArray(item) ? itemsOf(item) : [item]))
    .map((item) => textAt(item));
  return texts.flatMap((name, index) => {
    const value = texts[index + 1];
    return index % 2 === 1 || name === undefined || value === undefined ? [] : [field(name, value)];
  });
}

export function headerValue(headers: WireHeaders, name: string): string | undefined {
  return headers.find(([key]) => key === name)?.[1];
}

function valuesOf(value: FileTree): readonly string[] {
  const own = textAt(value);
  if (own !== undefined) return [own];
  return itemsOf(value).flatMap((item) => textAt(item) ?? []);
}

const field = (name: string, value: string): readonly [string, string] => [name.toLowerCase(), value];
