import { readCachedEntry, type CachedRef } from "../../core/cassette/cached-ref.ts";
import { type CallNode, type CallTarget, isNode } from "./call-node-model.ts";

/**
 * Reads a command's arguments: targets, entries, lines of the tree (the clicked one, then all selected ones), or
 * arrays of these. Groups and sections stand for what is in them, by what `current` says they are now. Each target
 * comes once.
 */
export function targetsFromArguments(
  args: readonly unknown[],
  current: (node: CallNode) => CallNode = (node) => node,
): readonly CallTarget[] {
  const targets = new Map<string, CallTarget>();
  for (const target of chosenOf(args).flatMap((value) => targetsFromOne(value, current)))
    targets.set(JSON.stringify(target), target);
  return [...targets.values()];
}

function targetsFromOne(value: unknown, current: (node: CallNode) => CallNode): readonly CallTarget[] {
  if (Array.isArray(value)) return value.flatMap((one) => targetsFromOne(one, current));
  // An entry of MetaGPT's cache is no recording: see `cacheArguments`.
  if (refOf(value) !== undefined) return [];
  if (typeof value === "string") return [{ entry: value }];
  if (typeof value !== "object" || value === null) return [];
  if (isNode(value)) return targetsFromNode(current(value));
  if ("entry" in value && typeof value.entry === "string") return [{ entry: value.entry }];
  if ("finding" in value && typeof value.finding === "string") return [{ finding: value.finding }];
  return [];
}

/** What a command was given: a line of the tree comes first, and with it all that are selected. */
export function chosenOf(args: readonly unknown[]): readonly unknown[] {
  const [first, selected] = args;
  return isNode(first) && Array.isArray(selected) && selected.includes(first) ? selected : [first];
}

function targetsFromNode({ subject }: CallNode): readonly CallTarget[] {
  if (subject.kind === "finding") return [{ finding: subject.finding.id }];
  if (subject.kind === "recording") return [{ entry: subject.address.entry }];
  if (subject.kind !== "group" && subject.kind !== "section") return [];
  const rows = subject.kind === "group" ? subject.group.rows : subject.rows;
  return rows.map((row) =>
    row.kind === "finding" ? { finding: row.finding.id } : { entry: row.address.entry },
  );
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
  if (typeof value === "string") return readCachedEntry(value);
  if (typeof value !== "object" || value === null) return undefined;
  if ("entry" in value) return refOf(value.entry);
  if (!("cached" in value)) return undefined;
  const { cached } = value;
  if (typeof cached !== "object" || cached === null || !("file" in cached) || !("digest" in cached))
    return undefined;
  const { file, digest } = cached;
  return typeof file === "string" && typeof digest === "string" ? { file, digest } : undefined;
}

function fileOf(value: unknown): string | undefined {
  return isNode(value) && value.subject.kind === "cache" ? value.subject.file : undefined;
}
