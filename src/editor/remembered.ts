import type * as vscode from "vscode";
import type { Mode } from "../core/exchange.ts";
import { modeFrom } from "./mode-model.ts";
import { addressFrom } from "./session-server.ts";
import type { Address } from "./session-server.ts";

/**
 * What a workspace remembers from one window to the next. The token is kept with the workspace's state: it opens
 * nothing but this workspace's replay server, on this machine, and terminals that are open hold it as well.
 */
export interface Remembered {
  /** What a person chose; undefined while nobody did. */
  readonly on: boolean | undefined;
  /** The mode chosen last; undefined: the setting's. */
  readonly mode: Mode | undefined;
  readonly address: Address | undefined;
  keepOn(on: boolean): Thenable<void>;
  keepMode(mode: Mode | undefined): Thenable<void>;
  keepAddress(address: Address): Thenable<void>;
}

export function createRemembered(memento: vscode.Memento): Remembered {
  return {
    get on() {
      const value: unknown = memento.get("on");
      return typeof value === "boolean" ? value : undefined;
    },
    get mode() {
      return modeFrom(memento.get("mode"));
    },
    get address() {
      return addressFrom(memento.get("address"));
    },
    keepOn: (on) => memento.update("on", on),
    keepMode: (mode) => memento.update("mode", mode),
    keepAddress: (address) => memento.update("address", address),
  };
}
