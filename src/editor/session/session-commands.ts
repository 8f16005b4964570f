import * as vscode from "vscode";
import { registerCheckFixes } from "../checks/check-fixes.ts";
import { checkRecordings, createRecordingProblems } from "../checks/check-recordings.ts";
import { watchSaved } from "../checks/check-saved.ts";
import type { CommandFeature, CommandTable } from "../window/commands.ts";
import { environmentText, FORMATS } from "../environment/environment-text-model.ts";
import { COMMANDS, WALKTHROUGH } from "../window/ids.ts";
import type { Log } from "../window/log.ts";
import type { Session } from "./session.ts";
import { flashStatus } from "../window/messages.ts";
import { pickOne } from "../window/picks.ts";

/** The commands about the session as a whole, and what its check finds. */
export function registerSessionCommands(session: Session, extensionId: string, log: Log): CommandFeature {
  const problems = createRecordingProblems(session);
  const commands: CommandTable = {
    [COMMANDS.turnOn]: () =>
      session.trusted ? session.turnOn() : vscode.commands.executeCommand("workbench.trust.manage"),
    [COMMANDS.turnOff]: () => session.turnOff(),
    [COMMANDS.restartServer]: () => session.restart(),
    [COMMANDS.copyEnvironment]: () => copyEnvironment(session),
    [COMMANDS.checkRecordings]: () => checkRecordings(session, problems),
    [COMMANDS.importRecordings]: async (...given) => {
      const { importInto } = await import("../importing/import-command.ts");
      return importInto(session, log, given);
    },
    [COMMANDS.showLog]: () => log.show(),
    [COMMANDS.getStarted]: () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", `${extensionId}#${WALKTHROUGH}`),
  };
  const parts = vscode.Disposable.from(
    problems,
    registerCheckFixes(session, problems),
    watchSaved(session, problems, log),
  );
  return { commands, dispose: () => parts.dispose() };
}

async function copyEnvironment(session: Session): Promise<void> {
  const picked = await pickOne(
    FORMATS.map(({ format, label, description }) => ({ format, label, description })),
    { title: "Tapedeck: copy the variables that point clients here", placeholder: "For which shell?" },
  );
  if (!picked) return;
  await vscode.env.clipboard.writeText(environmentText(await session.environment(), picked.format));
  flashStatus("check", "Variables copied");
}
