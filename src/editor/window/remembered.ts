import type * as vscode from "vscode";
import { type Mode, modeFrom } from "../../core/call/call.ts";
import { ownName } from "./folder-names.ts";
import { rememberedAddress } from "./remembered-address.ts";

/** What a workspace remembers from one window to the next: in its state, but for the token of its address. */
export type Remembered = ReturnType<typeof createRemembered>;

/** `tag`: of the folder, where the window may have several. */
export function createRemembered(
  { workspaceState: memento, secrets }: Pick<vscode.ExtensionContext, "workspaceState" | "secrets">,
  { tag, session }: { readonly tag: string | undefined; readonly session: string },
) {
  const key = (name: string): string => ownName(name, tag);
  return {
    /** The user's choice; undefined before the first one. */
    get on() {
      const value: unknown = memento.get(key("on"));
      return typeof value === "boolean" ? value : undefined;
    },
    /** The mode chosen last; undefined: the setting's. */
    get mode() {
      return modeFrom(memento.get(key("mode")));
    },
    address: rememberedAddress({ memento, secrets, key: key("address"), session }),
    keepOn: (on: boolean) => memento.update(key("on"), on),
    keepMode: (mode: Mode | undefined) => memento.update(key("mode"), mode),
  };
}
