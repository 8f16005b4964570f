import * as vscode from "vscode";
import { PACE_MS } from "../runs/recording-pace-model.ts";
import type { Session } from "./session.ts";

/** Calls `action` once a burst of recordings is over. */
export function onRecordingPaceEnd(session: Session, action: () => void): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const listening = session.recordings.onDidCall(() => {
    clearTimeout(timer);
    timer = setTimeout(action, PACE_MS + 1);
  });
  return vscode.Disposable.from(listening, { dispose: () => clearTimeout(timer) });
}
