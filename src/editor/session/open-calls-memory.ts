import { existsSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { TestRef } from "../../core/call.ts";
import { explain } from "../../core/errors.ts";
import { readLocal, writeLocal } from "../../storage/local/local-state.ts";
import { ownScanner } from "../../storage/local/own-scanner.ts";
import { oneAtATime, throttle } from "../calls-tree/throttle.ts";
import type { Log } from "../window/log.ts";
import {
  isSameOpenCalls,
  packOpenCalls,
  recalledOpenCalls,
  type OpenCalls,
} from "./open-calls-memory-model.ts";
import type { EditorSession } from "./editor-session.ts";

/** Many misses in a row are written once. */
const EVERY_MS = 1_000;
const NAME = "open-calls";

/**
 * Keeps the missing and the failed calls beside the recordings, for the next window. An editor's own storage is
 * written some seconds late, and what a closed window had not written is lost.
 */
export function keepOpenCalls(session: EditorSession, log: Log): vscode.Disposable {
  let kept: OpenCalls | undefined;
  const keep = async (): Promise<void> => {
    if (!vscode.workspace.isTrusted) return;
    kept ??= await recall(session);
    const { missing, troubles } = session.state;
    if (isSameOpenCalls(kept, { missing, troubles })) return;
    kept = { missing, troubles };
    const scan = await ownScanner();
    const packed = packOpenCalls(kept, (text) => scan(text).length > 0);
    await writeLocal(session.deck.dir, NAME, packed);
  };
  const write = oneAtATime(() =>
    keep().catch((error: unknown) => log.warn(`Missing calls are not remembered: ${explain(error)}`)),
  );
  const later = throttle(write, () => EVERY_MS);
  const listening = vscode.Disposable.from(
    session.onDidChange(later),
    vscode.workspace.onDidGrantWorkspaceTrust(later),
  );
  later();
  return {
    dispose() {
      listening.dispose();
      later.dispose();
      write(); // what waited
    },
  };
}

/** Puts back what an earlier window knew. What is known in this one stays. */
async function recall(session: EditorSession): Promise<OpenCalls> {
  const known = recalledOpenCalls(await readLocal(session.deck.dir, NAME));
  // Files also go while no window is open.
  const isThere = (test: TestRef | undefined): boolean =>
    test === undefined || existsSync(path.join(session.folder.uri.fsPath, test.file));
  session.restoreOpenCalls({
    missing: known.missing.filter(
      ({ miss, test }) => isThere(test) && session.deck.answerTo(miss) === undefined,
    ),
    troubles: known.troubles.filter(({ test }) => isThere(test)),
  });
  return known;
}
