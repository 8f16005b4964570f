import * as vscode from "vscode";
import { type Mode, MODES } from "../../core/call.ts";
import type { CommandTable } from "../window/commands.ts";
import { COMMANDS } from "../window/ids.ts";
import { MODE_TEXTS, modeFrom, toggled } from "./mode-model.ts";
import type { Session } from "./session.ts";
import { pickOne } from "../window/picks.ts";

/** The commands that change the mode. None of them pops up a message: the status bar says it. */
export function modeCommands(session: Session): CommandTable {
  async function change(mode: Mode): Promise<void> {
    if (!session.trusted) return manageTrust();
    await session.setMode(mode);
    if (session.status.kind === "off") await session.turnOn();
  }

  return {
    // The first click on an item that says "off" turns on what it was: what it becomes is not to be guessed.
    [COMMANDS.toggleMode]: () =>
      session.trusted && session.status.kind === "off" ? session.turnOn() : change(toggled(session.mode)),
    [COMMANDS.setMode]: (given) => {
      const mode = modeFrom(given);
      return mode ? change(mode) : undefined;
    },
    [COMMANDS.selectMode]: async () => {
      const mode = await pickMode(session);
      if (mode) await change(mode);
    },
    [COMMANDS.newRun]: () => session.beginStretch(),
  };
}

async function manageTrust(): Promise<void> {
  await vscode.commands.executeCommand("workbench.trust.manage");
}

async function pickMode({ mode: current, tag, folder }: Session): Promise<Mode | undefined> {
  const whose = tag === undefined ? "" : ` in ${folder.name}`;
  const picked = await pickOne(
    MODES.map((mode) => {
      const { name, icon, description } = MODE_TEXTS[mode];
      return {
        mode,
        icon,
        label: name,
        description: mode === current ? "current" : "",
        detail: description,
      };
    }),
    { title: `Tapedeck: how calls are answered${whose}`, placeholder: "Select a mode", matchOnDetail: true },
  );
  return picked?.mode;
}
