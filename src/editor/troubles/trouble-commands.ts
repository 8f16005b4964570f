import * as vscode from "vscode";
import { chosenOf } from "../call-commands/call-target-model.ts";
import { isNode } from "../calls-tree/call-node-model.ts";
import type { Session } from "../session/session.ts";
import { addressArguments } from "../window/addressed-model.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { sayWarning } from "../window/messages.ts";
import { repairsOf } from "./repairs-model.ts";
import type { Finding } from "../../core/finding.ts";

/** Commands on what went wrong before an answer could be kept. */
export function troubleCommands(session: Session) {
  return {
    [COMMANDS.mendTrouble]: async (...args) => {
      const [trouble] = troublesOf(args, session);
      if (trouble !== undefined) await mend(trouble, session);
    },
    [COMMANDS.dismissTrouble]: (...args) => {
      for (const { id } of troublesOf(args, session)) session.dismissMiss(id);
    },
  } satisfies Partial<CommandTable>;
}

function troublesOf(args: readonly unknown[], { state }: Session): readonly Finding[] {
  return chosenOf(args).flatMap((value) => {
    if (typeof value === "string") return state.troubles.filter(({ id }) => id === value);
    if (!isNode(value)) return [];
    const { subject } = value;
    if (subject.kind === "troubles") return subject.troubles;
    return subject.kind === "trouble" ? [subject.trouble] : [];
  });
}

/** Says all of it, with a button for each thing that mends it. */
async function mend(trouble: Finding, session: Session): Promise<void> {
  const { what, why, fix } = trouble;
  const repairs = repairsOf(trouble, session.trusted);
  const pressed = await sayWarning([what, why, fix].join(" "), ...repairs.map(({ title }) => title));
  const repair = repairs.find(({ title }) => title === pressed);
  if (repair === undefined) return;
  const { command, arguments: args } = repair;
  const own = command.startsWith("tapedeck.") ? addressArguments(args, session.tag) : args;
  await vscode.commands.executeCommand(command, ...own);
}
