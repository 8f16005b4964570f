import { MODE_TEXTS } from "../session/mode-model.ts";
import type { Mode } from "../../core/call/call.ts";
import type { CallsModel } from "./calls-model.ts";
import { branchNode, type CallNode, type CallTarget } from "../calls/call-node-model.ts";
import { plural } from "../../core/base/plural.ts";

export interface TreeFolder {
  readonly tag: string;
  /** As the Explorer shows it. */
  readonly name: string;
  /** Undefined while calls are not answered there. */
  readonly mode: Mode | undefined;
  /** Outstanding misses. */
  readonly missing: number;
  readonly model: Pick<CallsModel, "roots" | "find" | "opened">;
}

/** The top lines: a line for each folder where there is more than one. `opened`: folders a person opened or closed. */
export async function folderRoots(
  folders: readonly TreeFolder[],
  opened: ReadonlyMap<string, boolean>,
): Promise<readonly CallNode[]> {
  const [first, second] = folders;
  if (second === undefined) return (await first?.model.roots()) ?? [];
  return folders.map((folder) => folderNode(folder, opened));
}

/** The line of a call of one of the folders, where it is shown. */
export async function findInFolder(
  folder: TreeFolder,
  target: CallTarget,
  { isOnly, opened }: { readonly isOnly: boolean; readonly opened: ReadonlyMap<string, boolean> },
): Promise<CallNode | undefined> {
  const node = await folder.model.find(target);
  return node === undefined || isOnly ? node : withParents(node, folderNode(folder, opened));
}

/** The id that a line has among its own folder's, by which the folder knows whether it is open. */
export function idInFolder({ id, folder }: CallNode): string {
  return folder === undefined ? id : id.slice(idOf(folder).length + 1);
}

const idOf = (tag: string): string => `folder ${tag}`;

function folderNode(folder: TreeFolder, opened: ReadonlyMap<string, boolean>): CallNode {
  const { tag, name, mode, missing, model } = folder;
  const id = idOf(tag);
  const facts = [
    mode === undefined ? "off" : MODE_TEXTS[mode].name.toLowerCase(),
    ...(missing > 0 ? [plural(missing, "missing call")] : []),
  ];
  return branchNode(
    {
      id,
      label: name,
      description: facts.join(" · "),
      spoken: `Folder ${name}, ${facts.join(", ")}`,
      icon: "root-folder",
      context: "folder",
      isOpen: opened.get(id) ?? true,
      subject: { kind: "folder" },
      folder: tag,
    },
    async (node) => (await model.roots()).map((root) => below(root, node)),
  );
}

/** The same line under a folder's: ids of two folders must not meet. */
function below(node: CallNode, parent: CallNode): CallNode {
  const { folder = "" } = parent;
  const own: CallNode = {
    ...node,
    id: `${idOf(folder)}/${node.id}`,
    parent,
    folder,
    children: async () => (await node.children()).map((child) => below(child, own)),
  };
  return own;
}

function withParents(node: CallNode, folder: CallNode): CallNode {
  return below(node, node.parent ? withParents(node.parent, folder) : folder);
}
