import type { FolderSession } from "../session/folder-session.ts";
import type { CallsView } from "./calls-view.ts";
import type { CallNode, CallTarget } from "./call-node-model.ts";

/** The tree, as far as it is one folder's. */
export interface FolderTree {
  /** Shows the line of a call without taking the focus; false where it is filtered out or gone. */
  reveal(target: CallTarget): Promise<boolean>;
  readonly selection: readonly CallNode[];
  /** What a line that a command was given is by now. */
  current(node: CallNode): CallNode;
  readonly visible: boolean;
  refresh(): void;
}

/** `own`: the folder's session once it is open; `tag` names the folder where the tree shows several. */
export function folderTree(
  view: CallsView,
  own: () => FolderSession | undefined,
  tag: string | undefined,
): FolderTree {
  return {
    async reveal(target) {
      const one = own();
      return one !== undefined && view.reveal(target, one);
    },
    get selection() {
      return view.selection.filter(({ folder }) => folder === undefined || folder === tag);
    },
    current: (node) => view.current(node),
    get visible() {
      return view.visible;
    },
    refresh: () => view.refresh(),
  };
}
