import type * as vscode from "vscode";
import { type Mode, parseMode } from "../../core/call/call.ts";
import { addTag } from "./folder-names.ts";
import { createRememberedAddress } from "./remembered-address.ts";

/** State that a workspace keeps from one window to the next. The token of its address is in the secret storage. */
export type WindowMemory = ReturnType<typeof createRemembered>;

/** `tag`: the folder's, if the window can have several. */
export function createRemembered(
  { workspaceState: memento, secrets }: Pick<vscode.ExtensionContext, "workspaceState" | "secrets">,
  { tag, session }: { readonly tag: string | undefined; readonly session: string },
) {
  const key = (name: string): string => addTag(name, tag);
  return {
    /** The user's choice; undefined before the first one. */
    get on() {
      const value: unknown = memento.get(key("on"));
      return typeof value === "boolean" ? value : undefined;
    },
    /** The last selected mode; undefined means the mode of the setting. */
    get mode() {
      return parseMode(memento.get(key("mode")));
    },
    address: createRememberedAddress({ memento, secrets, key: key("address"), session }),
    keepOn: (on: boolean) => memento.update(key("on"), on),
    keepMode: (mode: Mode | undefined) => memento.update(key("mode"), mode),
  };
}
