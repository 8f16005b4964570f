import { cachedEntry } from "../../core/cassette/cached-ref.ts";
import { lastAsked } from "../../systems/metagpt/cache/as-recording.ts";
import { answerText, type CacheEntry } from "../../systems/metagpt/cache/read-cache.ts";
import { shorten } from "../../core/view/row.ts";
import type { BrokenCache, ReadCache } from "./cache-file-model.ts";
import { branchNode, leafNode, type CallNode } from "../calls/call-node-model.ts";
import { countText, plural } from "../../core/base/plural.ts";

/** So many entries are shown at once; more are shown in pages. */
const PAGE = 500;

type Entries = readonly (readonly [digest: string, entry: CacheEntry])[];

interface CacheLine {
  readonly file: string;
  /** As far as it is known: how many entries are shown, and how many there are. */
  readonly shown: number | undefined;
  readonly total: number | undefined;
  readonly isOpen: boolean;
  readonly children: (self: CallNode) => Promise<readonly CallNode[]>;
}

export function cacheNode({ file, shown, total, isOpen, children }: CacheLine): CallNode {
  const label = `MetaGPT cache — ${file}`;
  const part = total === undefined || shown === total ? "" : `${shown ?? 0} of `;
  return branchNode(
    {
      id: cacheId(file),
      label,
      description: total === undefined ? "" : `${part}${total}`,
      spoken: [
        `MetaGPT cache ${file}`,
        ...(total === undefined ? [] : [`${part}${plural(total, "entry", "entries")}`]),
      ].join(", "),
      context: "cache",
      isOpen,
      subject: { kind: "cache", file },
    },
    children,
  );
}

export const cacheId = (file: string): string => `cache/${file}`;

/** The only line under a file that cannot be read. */
export function brokenNode(parent: CallNode, file: string, { reason, position }: BrokenCache): CallNode {
  const label = file.slice(file.lastIndexOf("/") + 1);
  const where = position ? `${position.line}:${position.column} · ` : "";
  return leafNode({
    id: `${parent.id}/broken`,
    label,
    description: `${where}${reason}`,
    spoken: `${label}, broken, cannot be read: ${reason}`,
    icon: "error",
    context: "cacheBroken",
    parent,
    subject: { kind: "broken-cache", file, ...(position && { position: { file, ...position } }) },
  });
}

/** A file with what is known of it. */
interface ShownCache {
  readonly file: string;
  readonly cache: ReadCache;
  /** Whether tests are known that used an entry. */
  readonly hasTests: ((entry: string) => boolean) | undefined;
}

/** The entries as lines; many of them in pages. */
export function entryNodes(parent: CallNode, shown: ShownCache, all: Entries): CallNode[] {
  if (all.length <= PAGE) return all.map((one) => entryNode(parent, shown, one));
  const starts = Array.from({ length: Math.ceil(all.length / PAGE) }, (_, index) => index * PAGE);
  return starts.map((start) => pageNode(parent, { ...shown, start }, all.slice(start, start + PAGE)));
}

function pageNode(
  parent: CallNode,
  { start, ...shown }: ShownCache & { readonly start: number },
  own: Entries,
): CallNode {
  const label = `${countText(start + 1)} to ${countText(start + own.length)}`;
  return branchNode(
    {
      id: `${parent.id}/from ${start}`,
      label,
      description: countText(own.length),
      spoken: `${label}, ${plural(own.length, "entry", "entries")}`,
      context: "cache",
      isOpen: false,
      parent,
      subject: { kind: "cache", file: shown.file },
    },
    (node) => Promise.resolve(entryNodes(node, shown, own)),
  );
}

function entryNode(
  parent: CallNode,
  { file, cache, hasTests }: ShownCache,
  [digest, entry]: Entries[number],
): CallNode {
  const ref = { file, digest };
  const asked = lastAsked(entry.key);
  const answer = answerOf(cache, entry);
  const label = `"${shorten(lastLine(asked))}"`;
  const answered = shorten(firstLine(answer), 40);
  const description = `→ ${answered} · line ${entry.line}`;
  return leafNode({
    id: `${parent.id}/${ref.digest}`,
    label,
    description,
    spoken: `${label}, answered ${answered}, line ${entry.line}, in MetaGPT's cache`,
    icon: "circle-outline",
    context: hasTests?.(cachedEntry(ref)) === true ? "cached test" : "cached",
    parent,
    subject: { kind: "cached", ref, asked, answer },
  });
}

/** The answer as text; of one that is no text, its JSON. */
function answerOf({ text }: ReadCache, entry: CacheEntry): string {
  const json = answerText(text, entry);
  const plain: unknown = json.startsWith('"') ? JSON.parse(json) : undefined;
  return typeof plain === "string" ? plain : json.replace(/\s*\n\s*/gu, " ");
}

const HAS_WORD = /[\p{L}\p{N}]/u;

/** Prompts end in what is asked; what stands after it are fences and rules. */
function lastLine(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.findLast((line) => HAS_WORD.test(line)) ?? lines.findLast((line) => line !== "") ?? "";
}

function firstLine(text: string): string {
  const lines = text.split(/\r?\n/, 8).map((line) => line.trim());
  const telling = lines.filter((line) => !line.startsWith("```"));
  return telling.find((line) => HAS_WORD.test(line)) ?? lines.find((line) => line !== "") ?? "";
}
