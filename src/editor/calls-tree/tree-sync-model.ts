import type { CallNode } from "./call-node-model.ts";

/**
 * Stands between the model, which makes new lines each time, and the editor, which forgets a line and what a person
 * does to it while it is drawn anew: a line keeps its object, and only what changed is drawn again.
 */
export interface TreeSync {
  /** The lines under a line that was given before, or the top ones. */
  children(node: CallNode | undefined): Promise<CallNode[]>;
  /** What a line that was given before is now, for drawing it. */
  draw(node: CallNode): CallNode;
  /** The same for anything else. */
  current(node: CallNode): CallNode;
  parent(node: CallNode): CallNode | undefined;
  /** The lines that have to be drawn again with all under them; `undefined` stands for the whole tree. */
  changes(): Promise<readonly (CallNode | undefined)[]>;
}

/** The key of the top lines among those that were listed. */
const TOP = "";

export function createTreeSync(roots: () => Promise<readonly CallNode[]>): TreeSync {
  /** The objects that the editor has, by id. */
  const given = new Map<string, CallNode>();
  const now = new Map<string, CallNode>();
  /** What was last drawn of a line, by its id. */
  const drawn = new Map<string, string>();
  /** The ids of the lines that were last given under a line, by its id. */
  const listed = new Map<string, string>();
  const current = (node: CallNode): CallNode => now.get(node.id) ?? node;
  const keep = (node: CallNode): CallNode => {
    now.set(node.id, node);
    const known = given.get(node.id) ?? node;
    given.set(node.id, known);
    return known;
  };

  /** `isCovered`: a line above is drawn again, and all under it. */
  async function compare(
    key: string,
    fresh: readonly CallNode[],
    isCovered: boolean,
  ): Promise<readonly Changed[]> {
    if (!listed.has(key)) return [];
    const isSameList = listed.get(key) === idsOf(fresh);
    const changed: Changed[] = isSameList || isCovered ? [] : [given.get(key)];
    for (const node of fresh) {
      const known = keep(node);
      const isSame = drawn.get(node.id) === textOf(node);
      if (isSameList && !isCovered && !isSame) changed.push(known);
      if (listed.has(node.id))
        changed.push(...(await compare(node.id, await node.children(), isCovered || !isSameList || !isSame)));
    }
    return changed;
  }

  return {
    current,
    draw(node) {
      drawn.set(node.id, textOf(current(node)));
      return current(node);
    },
    parent: (node) => (node.parent ? (given.get(node.parent.id) ?? node.parent) : undefined),
    async children(node) {
      const fresh = node ? await current(node).children() : await roots();
      listed.set(node?.id ?? TOP, idsOf(fresh));
      return fresh.map(keep);
    },
    changes: async () => compare(TOP, await roots(), false),
  };
}

/** `undefined`: the whole tree. */
type Changed = CallNode | undefined;

const idsOf = (nodes: readonly CallNode[]): string => nodes.map(({ id }) => id).join("\n");

function textOf({ label, description, spoken, icon, context }: CallNode): string {
  return [label, description, spoken, icon ?? "", context].join("\n");
}
