import { isAddress, readItemPointer } from "../test-code/test-target-model.ts";
import { isForFolder } from "../window/ids.ts";

/** The folder that an argument belongs to: by its tag, or by any address in it. */
type FolderPointer = { readonly tag: string } | { readonly uri: string };

/** The part of a command's arguments that one folder's session is to work on. */
export interface FolderPart {
  /** Undefined if no argument identifies a folder. */
  readonly tag: string | undefined;
  readonly args: readonly unknown[];
}

/**
 * Splits a command's arguments by folder. A tree row comes with all selected rows, and the Test Explorer passes each
 * selected test: each folder gets its own arguments. `tagOf` returns the tag of the folder of an address.
 */
export function splitByFolder(
  args: readonly unknown[],
  tagOf: (uri: string) => string | undefined,
): readonly FolderPart[] {
  const last = args.at(-1);
  if (isForFolder(last)) return [{ tag: last.forFolder, args: args.slice(0, -1) }];
  const where = (value: unknown): string | undefined => {
    const found = readFolderPointer(value);
    if (found === undefined) return undefined;
    return "tag" in found ? found.tag : tagOf(found.uri);
  };
  const [first, selected] = args;
  if (Array.isArray(selected) && selected.includes(first)) return splitLines(args, where);
  const tags = new Set(args.flatMap((value) => where(value) ?? []));
  if (tags.size <= 1) return [{ tag: [...tags][0], args }];
  return [...tags].map((tag) => ({ tag, args: args.filter((value) => where(value) === tag) }));
}

/** The clicked line comes first in its own folder; in another one the first that is selected. */
function splitLines(
  [clicked, selection, ...rest]: readonly unknown[],
  where: (value: unknown) => string | undefined,
): readonly FolderPart[] {
  const selected: readonly unknown[] = Array.isArray(selection) ? selection : [];
  const tags = new Set([clicked, ...selected].map(where));
  return [...tags].map((tag) => {
    const own = selected.filter((value) => where(value) === tag);
    return { tag, args: [own.includes(clicked) ? clicked : own[0], own, ...rest] };
  });
}

/** Returns the folder of an argument; undefined for an argument that belongs to no folder. */
function readFolderPointer(value: unknown): FolderPointer | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if ("folder" in value && typeof value.folder === "string") return { tag: value.folder };
  const item = readItemPointer(value);
  if (item) return { uri: item.uri };
  return readAddress("uri" in value ? value.uri : value);
}

/** An address of the editor's, or its text. */
function readAddress(value: unknown): FolderPointer | undefined {
  if (typeof value === "string") return { uri: value };
  return isAddress(value) ? { uri: value.toString() } : undefined;
}
