import * as vscode from "vscode";
import { type Mode, modeFrom, MODES } from "../../core/call/call.ts";
import { fieldsOf } from "../../core/base/lenient.ts";
import { type CommandTable, COMMANDS } from "../window/ids.ts";
import { MODE_TEXTS, toggledMode } from "../session/mode-model.ts";
import type { Session } from "../session/session.ts";
import { chooseMockOf } from "../mocks/mock-commands.ts";
import { pickOne } from "../window/picks.ts";
import { checkRecordings, renameRecordings, type RecordingProblems } from "../checks/check-recordings.ts";
import { environmentText, FORMATS } from "../environment/environment-text-model.ts";
import type { Log } from "../window/log.ts";
import { flashStatus } from "../window/messages.ts";

interface SessionCommandParts {
  readonly session: Session;
  readonly problems: RecordingProblems;
  readonly log: Log;
  /** Looks again at what is not watched by the server. */
  readonly refresh: () => void;
}

/** The commands about the session as a whole: its mode, whether it is on, and the check of its recordings. */
export function sessionCommands({ session, problems, log, refresh }: SessionCommandParts) {
  async function change(mode: Mode): Promise<void> {
    if (!session.trusted) return manageTrust();
    await session.setMode(mode);
    if (session.lifecycle.status.kind === "off") await session.lifecycle.turnOn();
  }
  // None that changes the mode pops up a message: the status bar says it.
  return {
    // The first click on an item that says "off" turns on what it was: what it becomes is not to be guessed.
    [COMMANDS.toggleMode]: () =>
      session.trusted && session.lifecycle.status.kind === "off"
        ? session.lifecycle.turnOn()
        : change(toggledMode(session.mode)),
    [COMMANDS.selectMode]: async (given) => {
      const known = modeFrom(given);
      if (known) return change(known);
      const mode = await pickMode(session);
      // What lenient mode answers belongs to it.
      if (mode === "lenient" && session.trusted && !(await chooseMockOf(session))) return;
      if (mode) await change(mode);
    },
    [COMMANDS.newRun]: () => session.runs.stretch.begin(),
    [COMMANDS.turnOn]: () => (session.trusted ? session.lifecycle.turnOn() : manageTrust()),
    [COMMANDS.turnOff]: () => session.lifecycle.turnOff(),
    [COMMANDS.restartServer]: async () => {
      refresh();
      await session.lifecycle.restart();
    },
    [COMMANDS.copyEnvironment]: () => copyEnvironment(session),
    [COMMANDS.checkRecordings]: (given) =>
      fieldsOf(given)["fix"] === "names" ? renameRecordings(session) : checkRecordings(session, problems),
    [COMMANDS.importRecordings]: async (...given) => {
      const { importInto } = await import("../importing/import-command.ts");
      return importInto(session, log, given);
    },
    [COMMANDS.showLog]: () => log.show(),
  } satisfies Partial<CommandTable>;
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
        label: mode === "lenient" ? `${name}…` : name,
        description: mode === current ? "current" : "",
        detail: description,
      };
    }),
    { title: `Tapedeck: how calls are answered${whose}`, placeholder: "Select a mode", matchOnDetail: true },
  );
  return picked?.mode;
}

async function copyEnvironment(session: Session): Promise<void> {
  const picked = await pickOne(
    FORMATS.map(({ format, label, description }) => ({ format, label, description })),
    { title: "Tapedeck: copy the variables that point clients here", placeholder: "For which shell?" },
  );
  if (!picked) return;
  await vscode.env.clipboard.writeText(
    environmentText(await session.connection.environment(), picked.format),
  );
  flashStatus("check", "Variables copied");
}
