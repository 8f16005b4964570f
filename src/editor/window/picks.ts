/** Quick picks and input boxes. Their texts are escaped like those of messages. */
import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { type PickItem, pickTexts, removeMarkupFromLine } from "./messages-model.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { throttle } from "./throttle.ts";

export interface PickOptions {
  readonly title?: string;
  readonly placeholder: string;
}

/** Lets a person pick one item; undefined if they cancel. */
export async function pickOne<T extends PickItem>(
  items: readonly T[],
  options: PickOptions,
): Promise<T | undefined> {
  return (await vscode.window.showQuickPick(items.map(quickPickItem), shownOptions(options)))?.of;
}

/** Lets a person pick several items; undefined if they cancel. */
export async function pickMany<T extends PickItem>(
  items: readonly T[],
  options: PickOptions,
): Promise<readonly T[] | undefined> {
  const many = { ...shownOptions(options), canPickMany: true } as const;
  const picked = await vscode.window.showQuickPick(items.map(quickPickItem), many);
  return picked?.map(({ of }) => of);
}

interface SecretQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly mayBeEmpty: boolean;
}

/** Asks for a secret with masked input. Undefined if the person gave up. */
export async function askSecret({ title, prompt, mayBeEmpty }: SecretQuestion): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: removeMarkupFromLine(title),
    prompt: removeMarkupFromLine(prompt),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" && !mayBeEmpty ? localize("Enter a value.") : undefined),
  });
}

const PREVIEW_MS = 200;

/** Asks for a text and passes it on while it is typed. Resolves to it however the box is closed. */
export async function askWhileTyped(
  { placeholder, value }: { readonly placeholder: string; readonly value: string },
  preview: (text: string) => void,
): Promise<string> {
  const box = vscode.window.createInputBox();
  Object.assign(box, { placeholder: removeMarkupFromLine(placeholder), value });
  const update = throttle(
    () => preview(box.value),
    () => PREVIEW_MS,
  );
  box.onDidChangeValue(update);
  box.onDidAccept(() => box.hide());
  box.show();
  await new Promise<void>((resolve) => box.onDidHide(resolve));
  vscode.Disposable.from(update, box).dispose();
  return box.value.trim();
}

/** Creates a list whose lines change while a person types. */
export function createLivePick<T extends PickItem>({ title, placeholder }: PickOptions) {
  const pick = vscode.window.createQuickPick<PickRow<T>>();
  // Otherwise VS Code moves the best match to the top, and Enter picks a different line than the list's first.
  Object.assign(pick, { sortByLabel: false });
  pick.placeholder = removeMarkupFromLine(placeholder);
  pick.title = title === undefined ? undefined : removeMarkupFromLine(title);
  return {
    pick,
    /** Sets the lines. `active` gets the focus; the first line if it is not among them. */
    fill: (items: readonly T[], active?: T): void => {
      const lines = items.map(quickPickItem);
      const standing = lines.find(({ of }) => of === active) ?? lines[0];
      pick.items = lines;
      // After a refill, the list can have no active line, and Enter would pick none.
      pick.activeItems = standing === undefined ? [] : [standing];
    },
  };
}

interface PickRow<T> extends vscode.QuickPickItem {
  readonly of: T;
}

function quickPickItem<T extends PickItem>(item: T): PickRow<T> {
  const { picked, alwaysShow } = item;
  return {
    ...pickTexts(item),
    of: item,
    ...pickDefined({ picked, alwaysShow }),
  };
}

function shownOptions({ title, placeholder }: PickOptions): vscode.QuickPickOptions {
  return {
    matchOnDescription: true,
    matchOnDetail: true,
    placeHolder: removeMarkupFromLine(placeholder),
    ...(title !== undefined && { title: removeMarkupFromLine(title) }),
  };
}
