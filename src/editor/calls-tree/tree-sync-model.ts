import type { CallNode } from "../calls/call-node-model.ts";

/**
 * Stands between the model, which makes new lines each time, and the editor, which forgets a line and what a person
 * does to it while it is drawn anew: a line keeps its object, and only what changed is drawn again.
 */
export type TreeSync = ReturnType<typeof createTreeSync>;

/** The key of the top lines among those that were listed. */
const TOP = "";

/** What the editor has. */
interface Shown {
  /** The objects of lines, by id. */
  readonly given: Map<string, CallNode>;
  /** What they are by now. */
  readonly now: Map<string, CallNode>;
  /** What it last drew of a line, or will once it was told, by its id. */
  readonly drawn: Map<string, string>;
  /** The ids of the lines that it last asked for under a line, by its id. It asks again for what it was told of. */
  readonly listed: Map<string, readonly string[]>;
}

export function createTreeSync(roots: () => Promise<readonly CallNode[]>) {
  const shown: Shown = { given: new Map(), now: new Map(), drawn: new Map(), listed: new Map() };
  const { given, drawn, listed } = shown;
  const current = (node: CallNode): CallNode => shown.now.get(node.id) ?? node;
  return {
    /** The same for other elements. */
    current,
    /** Returns the current state of a line, for drawing it. */
    draw(node: CallNode) {
      drawn.set(node.id, rowText(current(node)));
      return current(node);
    },
    parent: (node: CallNode) => (node.parent ? (given.get(node.parent.id) ?? node.parent) : undefined),
    /** The lines under a line that was given before, or the top ones. */
    async children(node: CallNode | undefined) {
      const key = node?.id ?? TOP;
      try {
        const fresh = node ? await current(node).children() : await roots();
        const kept = fresh.map((line) => keep(line, shown));
        listed.set(key, idsOf(fresh));
        return kept;
      } catch (error) {
        listed.set(key, []); // it shows none
        throw error;
      }
    },
    /** The lines that have to be drawn again with all under them, each change once; `undefined` means the whole tree. */
    changes: async () => changesBelow(TOP, await roots(), shown),
  };
}

function keep(node: CallNode, { given, now }: Shown): CallNode {
  now.set(node.id, node);
  const known = given.get(node.id) ?? node;
  given.set(node.id, known);
  return known;
}

/** What changed under a line, once: a busy editor takes seconds to ask again. */
async function changesBelow(
  key: string,
  fresh: readonly CallNode[],
  shown: Shown,
): Promise<readonly Changed[]> {
  const { drawn, listed } = shown;
  const ids = listed.get(key);
  if (ids === undefined) return [];
  if (ids.join("\n") !== idsOf(fresh).join("\n")) {
    await renewBelow(key, fresh, shown);
    return [shown.given.get(key)];
  }
  const changed: Changed[] = [];
  for (const node of fresh) {
    const known = keep(node, shown);
    const text = rowText(node);
    const isSame = (drawn.get(node.id) ?? text) === text;
    const below = listed.has(node.id) ? await node.children() : [];
    if (isSame) {
      changed.push(...(await changesBelow(node.id, below, shown)));
    } else {
      await renewBelow(node.id, below, shown);
      drawn.set(node.id, text);
      changed.push(known);
    }
  }
  return changed;
}

/** All under a line is drawn anew, as it is by then; commands may come before. */
async function renewBelow(key: string, fresh: readonly CallNode[], shown: Shown): Promise<void> {
  for (const node of fresh) {
    keep(node, shown);
    if (shown.listed.has(node.id)) await renewBelow(node.id, await node.children(), shown);
  }
  for (const id of shown.listed.get(key) ?? []) shown.drawn.delete(id);
  shown.listed.delete(key);
}

/** `undefined`: the whole tree. */
type Changed = CallNode | undefined;

const idsOf = (nodes: readonly CallNode[]): readonly string[] => nodes.map(({ id }) => id);

function rowText({ label, description, spoken, icon, context }: CallNode): string {
  return [label, description, spoken, icon ?? "", context].join("\n");
}
