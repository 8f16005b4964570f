import type { WireHeaders } from "../../call/call.ts";
import { at, itemsOf, textAt, type FileTree, isObject, membersOf } from "./tree.ts";
import { pickDefined } from "../../base/pick-defined.ts";

/** One call and its reply as a file of another recorder tells them. */
export interface FoundExchange {
  /** Where it stands in its file, for people: "interaction 3". */
  readonly place: string;
  readonly request: FoundMessage & { readonly method: string; readonly url: string };
  readonly reply: FoundMessage & { readonly status: number };
  /** As it is written there, in any form that dates have. */
  readonly recordedAt?: string | undefined;
  /** Said by our own exports, and by lines that name their provider: addresses need not be known then. */
  readonly provider?: string | undefined;
  readonly operation?: string | undefined;
  /** What our own exports say of other recorders' files that it came from; of all else that is the file itself. */
  readonly cassettes?: readonly string[];
}

export interface FoundMessage {
  /** All of them, credentials too: they are looked for in what is to be written, and then dropped. */
  readonly headers: WireHeaders;
  /** As it came over the wire, or decoded already: recorders differ, whatever their headers say. */
  readonly body: Uint8Array;
}

/** Something in a file that is not to be imported. */
export interface FoundOther {
  readonly place: string;
  /** Why, as the end of a sentence about it: "is a WebSocket message, not HTTP". */
  readonly skipped: string;
}

/** Where a file's tree comes from. */
export interface FileSource {
  /** Without its folder. */
  readonly fileName: string;
  readonly attached: AttachedFiles;
}

/**
 * Contents of files beside the imported one, by the names that it gives them; or why one cannot be read, as the end of a
 * sentence about a call.
 */
export type AttachedFiles = ReadonlyMap<string, Uint8Array | string>;

export type ImportedEntry = FoundExchange | FoundOther;

export const isExchange = (found: ImportedEntry): found is FoundExchange => "request" in found;

/** For bodies that a file keeps as values, or that are made here. */
export const JSON_TYPE = ["content-type", "application/json"] as const;

/** Header fields with one more, unless it is there. */
export function withType(headers: WireHeaders, type: readonly [string, string]): WireHeaders {
  return headers.some(([name]) => name === type[0]) ? headers : [...headers, type];
}

/** What our own exports say of a call beside what their format has. */
export function ownWords(
  said: FileTree | undefined,
): Pick<FoundExchange, "provider" | "operation" | "cassettes"> {
  const [provider, operation] = [textAt(said, "provider"), textAt(said, "operation")];
  const cassettes = itemsOf(at(said, "cassettes")).flatMap((one) => textAt(one) ?? []);
  return {
    ...(provider !== undefined && { provider, cassettes }),
    ...pickDefined({ operation }),
  };
}

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
