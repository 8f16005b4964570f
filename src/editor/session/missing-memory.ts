import type * as vscode from "vscode";
import { isSameMissing } from "./missing-memory-model.ts";
import type { Remembered } from "../window/remembered.ts";
import type { Session } from "./session.ts";
import { throttle } from "../calls-tree/throttle.ts";
import type { MissingCall } from "./missing-calls-model.ts";

/** Many misses in a row are written once. */
const EVERY_MS = 1_000;

/** Keeps the missing calls for the next window: a red test is as red after a reload. */
export function keepMissing(
  session: Pick<Session, "state" | "onDidChange">,
  remembered: Remembered,
): vscode.Disposable {
  let kept: readonly MissingCall[] = remembered.missing;
  const keep = (): void => {
    const { missing } = session.state;
    if (isSameMissing(kept, missing)) return;
    kept = missing;
    void remembered.keepMissing(missing);
  };
  const later = throttle(keep, () => EVERY_MS);
  const listening = session.onDidChange(later);
  return {
    dispose() {
      listening.dispose();
      later.dispose();
      keep(); // what waited
    },
  };
}
