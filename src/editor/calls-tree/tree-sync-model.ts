import type { CallNode } from "../calls/call-node-model.ts";

/**
 * Connects the model, which creates new lines each time, with the editor, which loses a line's state when it is redrawn.
 * Each line keeps its object, and only changed lines are drawn again.
 */
export type TreeSync = ReturnType<typeof createTreeSync>;

/** The key of the top lines among those that were listed. */
const TOP = "";

/** The editor's state. All maps are by line id. */
interface EditorState {
  /** The object that the editor has for a line. */
  readonly given: Map<string, CallNode>;
  /** The current state of a line. */
  readonly now: Map<string, CallNode>;
  /** The text that the editor drew for a line, or will draw after the pending event. */
  readonly drawn: Map<string, string>;
  /** The ids of the children that the editor last requested. It requests them again after a change event. */
  readonly listed: Map<string, readonly string[]>;
  /** The lines whose change was returned once and that the editor did not request since. */
  readonly pending: Set<string>;
}

export function createTreeSync(roots: () => Promise<readonly CallNode[]>) {
  const shown: EditorState = {
    given: new Map(),
    now: new Map(),
    drawn: new Map(),
    listed: new Map(),
    pending: new Set(),
  };
  const { given, drawn, listed, pending } = shown;
  const current = (node: CallNode): CallNode => shown.now.get(node.id) ?? node;
  return {
    current,
    /** Returns the current state of a line, for drawing it. */
    draw(node: CallNode) {
      drawn.set(node.id, rowText(current(node)));
      return current(node);
    },
    parent: (node: CallNode) => (node.parent ? (given.get(node.parent.id) ?? node.parent) : undefined),
    /** Returns the children of a line, or the top lines. */
    async children(node: CallNode | undefined) {
      const key = node?.id ?? TOP;
      try {
        const fresh = node ? await current(node).children() : await roots();
        const kept = fresh.map((line) => keep(line, shown));
        pending.delete(key);
        listed.set(key, idsOf(fresh));
        return kept;
      } catch (error) {
        listed.set(key, []); // the editor shows none
        throw error;
      }
    },
    /** Returns the lines to draw again with their children, each change once; `undefined` means the whole tree. */
    changes: async () => changesBelow(TOP, await roots(), shown),
  };
}

function keep(node: CallNode, { given, now }: EditorState): CallNode {
  now.set(node.id, node);
  const known = given.get(node.id) ?? node;
  given.set(node.id, known);
  return known;
}

/**
 * Returns the changes below a line. A line that the editor does not request is returned once more, because the editor
 * loses a change that arrives while it lists the line, and no more than that, because a busy one takes seconds.
 */
async function changesBelow(
  key: string,
  fresh: readonly CallNode[],
  shown: EditorState,
): Promise<readonly ChangedNode[]> {
  const { drawn, listed, given, pending } = shown;
  const ids = listed.get(key);
  if (ids === undefined) return pending.delete(key) ? [given.get(key)] : [];
  if (ids.join("\n") !== idsOf(fresh).join("\n")) {
    await renewBelow(key, fresh, shown);
    if (key !== TOP) pending.add(key);
    return [given.get(key)];
  }
  const changed: ChangedNode[] = [];
  for (const node of fresh) {
    const known = keep(node, shown);
    const text = rowText(node);
    const isSame = (drawn.get(node.id) ?? text) === text;
    const below = listed.has(node.id) ? await node.children() : [];
    if (isSame) {
      changed.push(...(await changesBelow(node.id, below, shown)));
    } else {
      await renewBelow(node.id, below, shown);
      if (below.length > 0) pending.add(node.id);
      drawn.set(node.id, text);
      changed.push(known);
    }
  }
  return changed;
}

/** Prepares all lines below a line for being drawn again. Commands may use them before that. */
async function renewBelow(key: string, fresh: readonly CallNode[], shown: EditorState): Promise<void> {
  for (const node of fresh) {
    keep(node, shown);
    if (shown.listed.has(node.id)) await renewBelow(node.id, await node.children(), shown);
  }
  for (const id of shown.listed.get(key) ?? []) shown.drawn.delete(id);
  shown.listed.delete(key);
}

/** `undefined`: the whole tree. */
type ChangedNode = CallNode | undefined;

const idsOf = (nodes: readonly CallNode[]): readonly string[] => nodes.map(({ id }) => id);

function rowText({ label, description, spoken, icon, context }: CallNode): string {
  return [label, description, spoken, icon ?? "", context].join("\n");
}
