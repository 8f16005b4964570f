import type * as vscode from "vscode";
import { modeFrom, type Mode } from "../../core/call/call.ts";
import { ownName } from "./folder-names.ts";
import { rememberedAddress, type RememberedAddress } from "./remembered-address.ts";

/** What a workspace remembers from one window to the next: in its state, but for the token of its address. */
export interface Remembered {
  /** What a person chose; undefined while nobody did. */
  readonly on: boolean | undefined;
  /** The mode chosen last; undefined: the setting's. */
  readonly mode: Mode | undefined;
  readonly address: RememberedAddress;
  keepOn(on: boolean): Thenable<void>;
  keepMode(mode: Mode | undefined): Thenable<void>;
}

/** `tag`: of the folder, where the window may have several. */
export function createRemembered(
  { workspaceState: memento, secrets }: Pick<vscode.ExtensionContext, "workspaceState" | "secrets">,
  { tag, session }: { readonly tag: string | undefined; readonly session: string },
): Remembered {
  const key = (name: string): string => ownName(name, tag);
  return {
    get on() {
      const value: unknown = memento.get(key("on"));
      return typeof value === "boolean" ? value : undefined;
    },
    get mode() {
      return modeFrom(memento.get(key("mode")));
    },
    address: rememberedAddress({ memento, secrets, key: key("address"), session }),
    keepOn: (on) => memento.update(key("on"), on),
    keepMode: (mode) => memento.update(key("mode"), mode),
  };
}
