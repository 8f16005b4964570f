/** Lists to pick from: their texts are text, as those of messages are. */
import * as vscode from "vscode";
import { pickTexts, plainLine, type PickItem } from "./messages-model.ts";

export interface PickOptions {
  readonly title?: string;
  readonly placeholder: string;
  readonly matchOnDescription?: boolean;
  readonly matchOnDetail?: boolean;
}

/** Lets a person pick one; undefined where they gave up. */
export async function pickOne<T extends PickItem>(
  items: readonly T[],
  options: PickOptions,
): Promise<T | undefined> {
  return (await vscode.window.showQuickPick(items.map(shown), shownOptions(options)))?.of;
}

/** Lets a person pick several; undefined where they gave up. */
export async function pickMany<T extends PickItem>(
  items: readonly T[],
  options: PickOptions,
): Promise<readonly T[] | undefined> {
  const many = { ...shownOptions(options), canPickMany: true } as const;
  const picked = await vscode.window.showQuickPick(items.map(shown), many);
  return picked?.map(({ of }) => of);
}

/** A list whose lines change while a person types. */
export interface LivePick<T> {
  /** The editor's own; its lines are filled in by `fill`. */
  readonly pick: vscode.QuickPick<vscode.QuickPickItem & { readonly of: T }>;
  /** `active`: the line to stand on; the first one where it is not said. */
  readonly fill: (items: readonly T[], active?: T) => void;
}

export function createLivePick<T extends PickItem>({ title, placeholder }: PickOptions): LivePick<T> {
  const pick = vscode.window.createQuickPick<Shown<T>>();
  pick.placeholder = plainLine(placeholder);
  pick.title = title === undefined ? undefined : plainLine(title);
  return {
    pick,
    fill(items, active) {
      pick.items = items.map(shown);
      if (active !== undefined) pick.activeItems = pick.items.filter(({ of }) => of === active);
    },
  };
}

interface Shown<T> extends vscode.QuickPickItem {
  readonly of: T;
}

function shown<T extends PickItem>(item: T): Shown<T> {
  const { picked, alwaysShow, isSeparator } = item;
  return {
    ...pickTexts(item),
    of: item,
    ...(picked !== undefined && { picked }),
    ...(alwaysShow !== undefined && { alwaysShow }),
    ...(isSeparator === true && { kind: vscode.QuickPickItemKind.Separator }),
  };
}

function shownOptions({ title, placeholder, ...matching }: PickOptions): vscode.QuickPickOptions {
  return {
    ...matching,
    placeHolder: plainLine(placeholder),
    ...(title !== undefined && { title: plainLine(title) }),
  };
}
