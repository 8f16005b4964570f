import * as vscode from "vscode";
import type { Stray } from "../../core/cassette/store.ts";
import type { Session } from "../session/session.ts";
import type { RecordingIndex } from "./recording-index-model.ts";
import { oneAtATime, throttle } from "./throttle.ts";

/** What lies among the recordings and is none, kept current. */
export interface Strays extends vscode.Disposable {
  readonly known: readonly Stray[];
  look(): Promise<void>;
}

/** Every look goes through all folders. */
const EVERY_MS = 3_000;

export function createStrays(session: Session, index: RecordingIndex, onDidChange: () => void): Strays {
  let known: readonly Stray[] = [];
  const look = async (): Promise<void> => {
    const now = await session.deck.store.strays();
    const isSame = JSON.stringify(now) === JSON.stringify(known);
    known = now;
    if (!isSame) onDidChange();
  };
  // A folder that cannot be read is told of above the tree.
  const again = throttle(oneAtATime(look), () => EVERY_MS);
  // The folder's watcher tells of recordings alone, so others are looked for whenever something was looked at afresh.
  const listening = vscode.Disposable.from(
    index.onDidChange(again),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused && known.length + index.progress.total > 0) again();
    }),
  );
  return {
    get known() {
      return known;
    },
    look,
    dispose: () => vscode.Disposable.from(again, listening).dispose(),
  };
}
