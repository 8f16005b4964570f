import { chosenOf, isNode } from "../call-commands/call-target-model.ts";

/** An entry of a `rsp_cache.json`. Plain, because it goes through addresses and commands. */
export interface CachedRef {
  /** Relative to the workspace folder, with "/" between segments. */
  readonly file: string;
  /** SHA-256 of MetaGPT's key, which is a whole prompt, in hexadecimal digits. */
  readonly digest: string;
}

export interface CachedTarget {
  readonly cached: CachedRef;
}

/** What a command was given, parted: what is of a cache, and whether there is anything else. */
export interface CacheArguments {
  readonly refs: readonly CachedRef[];
  /** Files whose own line in the tree was meant. */
  readonly files: readonly string[];
  readonly hasOthers: boolean;
}

/** Reads a command's arguments as `targetsFromArguments` does: the clicked line, then all selected ones. */
export function cacheArguments(args: readonly unknown[]): CacheArguments {
  const given = chosenOf(args)
    .flat()
    .filter((one) => one !== undefined);
  const refs = given.flatMap((one) => refOf(one) ?? []);
  const files = given.flatMap((one) => fileOf(one) ?? []);
  return { refs, files, hasOthers: refs.length + files.length < given.length };
}

function refOf(value: unknown): CachedRef | undefined {
  if (isNode(value)) return value.subject.kind === "cached" ? value.subject.ref : undefined;
  if (typeof value !== "object" || value === null || !("cached" in value)) return undefined;
  const { cached } = value;
  if (typeof cached !== "object" || cached === null || !("file" in cached) || !("digest" in cached))
    return undefined;
  const { file, digest } = cached;
  return typeof file === "string" && typeof digest === "string" ? { file, digest } : undefined;
}

function fileOf(value: unknown): string | undefined {
  return isNode(value) && value.subject.kind === "cache" ? value.subject.file : undefined;
}
