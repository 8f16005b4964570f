import { joinList, localize } from "../../core/base/localize.ts";
import { MODE_TEXTS } from "../session/mode-model.ts";
import type { Mode } from "../../core/call/call.ts";
import type { CallsModel } from "./calls-model.ts";
import {
  createBranchNode,
  createLeafNode,
  type CallNode,
  type CallTarget,
} from "../calls/call-node-model.ts";
import { localizeCount } from "../../core/base/plural.ts";

export interface TreeFolder {
  readonly tag: string;
  /** As the Explorer shows it. */
  readonly name: string;
  /** Undefined while Tapedeck answers no calls there. */
  readonly mode: Mode | undefined;
  readonly missing: number;
  readonly model: Pick<CallsModel, "roots" | "find" | "opened">;
}

/**
 * The top lines: one for each folder if there are several. None if Tapedeck is off in all of them and nothing is
 * recorded: then the view explains what to do. `opened`: folders that a person opened or closed.
 */
export async function createFolderRoots(
  folders: readonly TreeFolder[],
  opened: ReadonlyMap<string, boolean>,
): Promise<readonly CallNode[]> {
  const [first, second] = folders;
  if (second === undefined) return (await first?.model.roots()) ?? [];
  const counts = await Promise.all(folders.map(async ({ model }) => (await model.roots()).length));
  if (folders.every(({ mode }, at) => mode === undefined && counts[at] === 0)) return [];
  return folders.map((folder, at) =>
    counts[at] === 0 ? emptyFolderNode(folder) : folderNode(folder, opened),
  );
}

/** Finds the line of a call of one folder; undefined if it is not shown. */
export async function findInFolder(
  folder: TreeFolder,
  target: CallTarget,
  { isOnly, opened }: { readonly isOnly: boolean; readonly opened: ReadonlyMap<string, boolean> },
): Promise<CallNode | undefined> {
  const node = await folder.model.find(target);
  return node === undefined || isOnly ? node : withParents(node, folderNode(folder, opened));
}

/** The id of a line within its folder. The folder stores by this id whether the line is open. */
export function createIdInFolder({ id, folder }: CallNode): string {
  return folder === undefined ? id : id.slice(idOf(folder).length + 1);
}

const idOf = (tag: string): string => `folder ${tag}`;

function folderNode(folder: TreeFolder, opened: ReadonlyMap<string, boolean>): CallNode {
  const parts = folderParts(folder);
  return createBranchNode({ ...parts, isOpen: opened.get(parts.id) ?? true }, async (node) =>
    (await folder.model.roots()).map((root) => below(root, node)),
  );
}

/** Under another id, because VS Code keeps a line closed that could not be opened before. */
function emptyFolderNode(folder: TreeFolder): CallNode {
  const parts = folderParts(folder, folder.mode === undefined ? [] : [localize("no calls")]);
  return createLeafNode({ ...parts, id: `empty ${parts.id}` });
}

function folderParts({ tag, name, mode, missing }: TreeFolder, more: readonly string[] = []) {
  const facts = [
    mode === undefined ? localize("off") : MODE_TEXTS[mode].name.toLowerCase(),
    ...(missing > 0 ? [localizeCount(missing, "{0} missing call", "{0} missing calls")] : []),
    ...more,
  ];
  return {
    id: idOf(tag),
    label: name,
    description: facts.join(" · "),
    spoken: joinList([localize("Folder {0}", name), ...facts]),
    icon: "root-folder",
    context: mode === undefined ? "folder off" : "folder on",
    subject: { kind: "folder" as const },
    folder: tag,
  };
}

/** The same line below the line of a folder. The ids of two folders must differ. */
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
