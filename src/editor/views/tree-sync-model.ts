import type { CallNode } from "./call-nodes-model.ts";

/**
 * Stands between the model, which makes new lines each time, and the editor, which forgets a line and what a person
 * does to it while it is drawn anew: a line keeps its object, and only what changed is drawn again.
 */
export interface TreeSync {
  /** The lines under a line that was given before, or the top ones. */
  children(node: CallNode | undefined): Promise<CallNode[]>;
  /** What a line that was given before is now. */
  current(node: CallNode): CallNode;
  parent(node: CallNode): CallNode | undefined;
  /** The lines that have to be drawn again with all under them; `undefined` stands for the whole tree. */
  changes(): Promise<readonly (CallNode | undefined)[]>;
}

/** The key of the top lines among those that were shown. */
const TOP = "";

export function createTreeSync(roots: () => Promise<readonly CallNode[]>): TreeSync {
  /** The objects that the editor has, by id. */
  const given = new Map<string, CallNode>();
  const now = new Map<string, CallNode>();
  /** What was last drawn under a line, by its id. */
  const shown = new Map<string, readonly Drawn[]>();
  const keep = (node: CallNode): CallNode => {
    now.set(node.id, node);
    const known = given.get(node.id) ?? node;
    given.set(node.id, known);
    return known;
  };
  const current = (node: CallNode): CallNode => now.get(node.id) ?? node;

  /** `isCovered`: a line above is drawn again, and all under it. */
  async function compare(
    key: string,
    fresh: readonly CallNode[],
    isCovered: boolean,
  ): Promise<readonly Changed[]> {
    const before = shown.get(key);
    if (before === undefined) return [];
    const isSameList = before.map(({ id }) => id).join("\n") === fresh.map(({ id }) => id).join("\n");
    const changed: Changed[] = isSameList || isCovered ? [] : [given.get(key)];
    for (const [index, node] of fresh.entries()) {
      const known = keep(node);
      const isSame = before[index]?.text === textOf(node);
      if (isSameList && !isCovered && !isSame) changed.push(known);
      if (shown.has(node.id))
        changed.push(...(await compare(node.id, await node.children(), isCovered || !isSameList || !isSame)));
    }
    return changed;
  }

  return {
    current,
    parent: (node) => (node.parent ? (given.get(node.parent.id) ?? node.parent) : undefined),
    async children(node) {
      const fresh = node ? await current(node).children() : await roots();
      shown.set(
        node?.id ?? TOP,
        fresh.map((one) => ({ id: one.id, text: textOf(one) })),
      );
      return fresh.map(keep);
    },
    changes: async () => compare(TOP, await roots(), false),
  };
}

/** `undefined`: the whole tree. */
type Changed = CallNode | undefined;

interface Drawn {
  readonly id: string;
  readonly text: string;
}

function textOf({ label, description, spoken, icon, context }: CallNode): string {
  return [label, description, spoken, icon ?? "", context].join("\n");
}
