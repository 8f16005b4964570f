import { chosenOf } from "../call-commands/call-target-model.ts";
import { isNode } from "../calls-tree/call-node-model.ts";
import type { Session } from "../session/session.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { showPreview } from "./script-pages.ts";

/** Commands on what is made up and what goes wrong on purpose. */
export function mockCommands(session: Session) {
  return {
    [COMMANDS.chooseMock]: () => chooseMockOf(session),
    [COMMANDS.previewScript]: (script) => showPreview(script),
    [COMMANDS.dismissFaultRun]: (...args) => {
      for (const value of chosenOf(args)) {
        if (!isNode(value)) continue;
        const { subject } = value;
        const runs =
          subject.kind === "fault-runs" ? subject.runs : subject.kind === "fault-run" ? [subject.run] : [];
        for (const { id } of runs) session.dismissMiss(id);
      }
    },
  } satisfies Partial<CommandTable>;
}

/** False where the person gave up. */
export async function chooseMockOf(session: Session): Promise<boolean> {
  const { chooseMock } = await import("./choose-mock.ts");
  return chooseMock(session);
}
