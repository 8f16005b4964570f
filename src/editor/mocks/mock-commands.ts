import type { Session } from "../session/session.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { showPreview } from "./script-pages.ts";

/** Commands on what is made up and what goes wrong on purpose. */
export function mockCommands(session: Session) {
  return {
    [COMMANDS.chooseMock]: () => chooseMockOf(session),
    [COMMANDS.previewScript]: (script) => showPreview(script),
  } satisfies Partial<CommandTable>;
}

/** False where the person gave up. */
export async function chooseMockOf(session: Session): Promise<boolean> {
  const { chooseMock } = await import("./choose-mock.ts");
  return chooseMock(session);
}
