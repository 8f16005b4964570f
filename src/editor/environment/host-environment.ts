import { formatFolderTable } from "../../hooks/environment.ts";
import { type VariableChange, computeValueAfter } from "./environment-model.ts";

/** The variables of a folder in the environment that other extensions start their processes with. */
export interface HostShare extends ProcessEnvironment {
  /** Removes the share, because its folder was closed. */
  dispose(): void;
}

export interface ShareOptions {
  /** The folder, absolute. */
  readonly root: string;
  /** Whether its variables are set. Programs without the hooks get only these. */
  readonly isFirst: () => boolean;
}

/** The variables of all folders, for processes with the hooks; empty if the folder is already known. */
export const FOLDERS_VARIABLE = "TAPEDECK_FOLDERS";

interface Share extends ShareOptions {
  changes: readonly VariableChange[];
}

/**
 * Shares the variables of one process between the folders of a window. The first folder's variables are set. Another
 * variable lets the hooks replace them with those of the folder in which a process starts, or remove them if it is off.
 */
export function createHostEnvironment(whole: ProcessEnvironment): (options: ShareOptions) => HostShare {
  const shares = new Set<Share>();
  const write = (): void => {
    const first = [...shares].find(({ isFirst }) => isFirst());
    if (first === undefined) whole.takeBack();
    else whole.set(changesFor(first, [...shares], whole.without()));
  };
  return (options) => {
    const share: Share = { ...options, changes: [] };
    shares.add(share);
    write();
    const set = (changes: readonly VariableChange[]): void => {
      share.changes = changes;
      write();
    };
    return {
      set,
      takeBack: () => set([]),
      without: () => whole.without(),
      dispose() {
        shares.delete(share);
        write();
      },
    };
  };
}

function changesFor(
  first: Share,
  shares: readonly Share[],
  before: Readonly<Record<string, string | undefined>>,
): readonly VariableChange[] {
  const some = shares.find(({ changes }) => changes.length > 0);
  if (some === undefined || shares.length === 1) return first.changes;
  const ordered = [first, ...shares.filter((share) => share !== first)];
  const sets = ordered.map(({ root, changes }) => ({
    root,
    set: Object.fromEntries(changes.flatMap(pairOf)),
  }));
  const table = formatFolderTable(sets, before);
  if (table === undefined) return first.changes;
  // Changes that append or prepend load the hooks, which are the same for every folder.
  const own = first.changes.length > 0 ? first.changes : some.changes.filter(({ how }) => how !== "replace");
  return [...own, { name: FOLDERS_VARIABLE, how: "replace", value: table }];
}

const pairOf = ({ name, value, how }: VariableChange) => (how === "replace" ? [[name, value] as const] : []);

/** Variables of a process that can be set and taken back exactly. */
type ProcessEnvironment = ReturnType<typeof createProcessEnvironment>;

/** `variables` is `process.env`: other extensions start their processes with it. */
export function createProcessEnvironment(variables: NodeJS.ProcessEnv) {
  const held = new Map<string, { readonly before: string | undefined; readonly ours: string }>();

  function takeBack(): void {
    for (const [name, { before, ours }] of held) {
      if (variables[name] !== ours) continue;
      if (before === undefined) Reflect.deleteProperty(variables, name);
      else variables[name] = before;
    }
    held.clear();
  }

  return {
    /** Replaces the earlier changes. */
    set(changes: readonly VariableChange[]) {
      takeBack();
      for (const change of changes) {
        const before = variables[change.name];
        const ours = computeValueAfter(change, before);
        held.set(change.name, { before, ours });
        variables[change.name] = ours;
      }
    },
    /** Removes our variables. A variable that was changed in the meantime stays as it is. */
    takeBack,
    /** Returns the variables without ours. */
    without() {
      const own = [...held].filter(([name, { ours }]) => variables[name] === ours);
      return { ...variables, ...Object.fromEntries(own.map(([name, { before }]) => [name, before])) };
    },
  };
}
