import * as vscode from "vscode";
import type { Session } from "./session.ts";
import { PACE_MS } from "../runs/recording-pace-model.ts";

/** Calls `action` when no call came for as long as a run counts as recording. */
export function afterPace(session: Session, action: () => void): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const listening = session.recordings.onDidCall(() => {
    clearTimeout(timer);
    timer = setTimeout(action, PACE_MS + 1);
  });
  return vscode.Disposable.from(listening, { dispose: () => clearTimeout(timer) });
}
