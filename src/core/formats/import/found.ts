import type { WireHeaders } from "../../call/call.ts";
import type { RecordedRequest } from "../../cassette/recording.ts";
import { getAt, listItems, getTextAt, type FileTree, isObject, listMembers } from "./tree.ts";
import { pickDefined } from "../../base/pick-defined.ts";

/** A call and its reply in a file of another recorder. */
export interface FoundExchange {
  /** Position in the file, for people: "interaction 3". */
  readonly place: string;
  readonly request: FoundMessage & { readonly method: string; readonly url: string };
  readonly reply: FoundMessage & { readonly status: number };
  /** A date in any format. */
  readonly recordedAt?: string | undefined;
  /** Set by Tapedeck's exports and by lines that name their provider, so that the address can be unknown. */
  readonly provider?: string | undefined;
  readonly operation?: string | undefined;
  /** The values in its request whose origins are in the key, in Tapedeck's exports. */
  readonly values?: RecordedRequest["values"];
  /** Files of other recorders from which the call was imported, in Tapedeck's exports. Default: this file. */
  readonly cassettes?: readonly string[];
}

export interface FoundMessage {
  /** All headers, including credentials: the recording is searched for these, then they are dropped. */
  readonly headers: WireHeaders;
  /** Encoded or decoded, independent of the headers, because recorders differ. */
  readonly body: Uint8Array;
  /** Name of the file beside this one that has the body instead. */
  readonly bodyFile?: string | undefined;
}

/** An entry of a file that cannot be imported. */
export interface SkippedExchange {
  readonly place: string;
  /** The reason, as the end of a sentence about the entry: "is a WebSocket message, not HTTP". */
  readonly skipped: string;
}

export type ImportedEntry = FoundExchange | SkippedExchange;

export const isExchange = (found: ImportedEntry): found is FoundExchange => "request" in found;

/** Content type of bodies that a file stores as values, and of composed ones. */
export const JSON_TYPE = ["content-type", "application/json"] as const;

/** Adds a content type, unless the headers have one. */
export function withType(headers: WireHeaders, type: readonly [string, string]): WireHeaders {
  return headers.some(([name]) => name === type[0]) ? headers : [...headers, type];
}

/** Reads the members that Tapedeck's exports add to a call. */
export function readOwnMembers(
  tree: FileTree | undefined,
): Pick<FoundExchange, "provider" | "operation" | "cassettes" | "values"> {
  const [provider, operation] = [getTextAt(tree, "provider"), getTextAt(tree, "operation")];
  const cassettes = listItems(getAt(tree, "cassettes")).flatMap((one) => getTextAt(one) ?? []);
  const values = listMembers(getAt(tree, "values")).map(([text, origin]) => ({
    text,
    origin: getTextAt(origin) ?? "",
  }));
  return {
    ...(provider !== undefined && { provider, cassettes }),
    ...(values.length > 0 && { values }),
    ...pickDefined({ operation }),
  };
}

/**
 * Reads headers in the formats of all recorders: an object of texts or of lists of texts (VCR, nock), a list of
 * `{name, value}` (HAR), a flat list of alternating names and values (nock's raw headers), or a list of pairs. Returns
 * names in lowercase.
 */
export function readHeaders(tree: FileTree | undefined): WireHeaders {
  if (isObject(tree))
    return listMembers(tree).flatMap(([name, value]) => valuesOf(value).map((one) => field(name, one)));
  const items = listItems(tree);
  if (items.some(isObject))
    return items.flatMap((item) => {
      const [name, value] = [getTextAt(item, "name"), getTextAt(item, "value")];
      return name === undefined || value === undefined ? [] : [field(name, value)];
    });
  const texts = items
    .flatMap((item) => (Array.isArray(item) ? listItems(item) : [item]))
    .map((item) => getTextAt(item));
  return texts.flatMap((name, index) => {
    const value = texts[index + 1];
    return index % 2 === 1 || name === undefined || value === undefined ? [] : [field(name, value)];
  });
}

export function findHeader(headers: WireHeaders, name: string): string | undefined {
  return headers.find(([key]) => key === name)?.[1];
}

function valuesOf(value: FileTree): readonly string[] {
  const own = getTextAt(value);
  if (own !== undefined) return [own];
  return listItems(value).flatMap((item) => getTextAt(item) ?? []);
}

const field = (name: string, value: string): readonly [string, string] => [name.toLowerCase(), value];
