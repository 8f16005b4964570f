import { localize } from "../../core/base/localize.ts";
import * as path from "node:path";
import * as vscode from "vscode";
import { existsSync } from "node:fs";
import { explain } from "../../core/base/errors.ts";
import { readLocal, writeLocal } from "../../storage/local/local-state.ts";
import { createOwnScanner } from "../../storage/local/own-scanner.ts";
import { runOneAtATime, throttle } from "../window/throttle.ts";
import type { Session } from "./session.ts";
import type { Log } from "../window/log.ts";
import {
  areSameFindings,
  listLastingFindings,
  packFindings,
  readRecalledFindings,
} from "../findings/finding-memory-model.ts";
import { type OpenFinding, isMissingCall } from "../findings/findings-model.ts";

/** Many misses in a row are written once. */
const EVERY_MS = 1_000;
const NAME = "findings";

/**
 * Keeps missing and failed calls beside the recordings, for the next window. An editor's own storage is written some
 * seconds late, and what a closed window had not written is lost.
 */
export function keepFindings(session: Session, log: Log): vscode.Disposable {
  let kept: readonly OpenFinding[] | undefined;
  const keep = async (): Promise<void> => {
    if (!vscode.workspace.isTrusted) return;
    kept ??= await recall(session);
    const now = listLastingFindings(session.state.findings);
    if (areSameFindings(kept, now)) return;
    kept = now;
    const scan = await createOwnScanner();
    await writeLocal(
      session.deck.dir,
      NAME,
      packFindings(kept, (text) => scan(text).length > 0),
    );
  };
  const write = runOneAtATime(() =>
    keep().catch((error: unknown) =>
      log.warn(localize("Missing calls cannot be stored: {0}", explain(error))),
    ),
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

/** Restores the findings of an earlier window. Findings of this window stay. */
async function recall(session: Session): Promise<readonly OpenFinding[]> {
  const known = readRecalledFindings(await readLocal(session.deck.dir, NAME));
  // Files also go while no window is open.
  const hasTest = ({ test }: OpenFinding): boolean =>
    test === undefined || existsSync(path.join(session.folder.uri.fsPath, test.file));
  const isAnswered = (one: OpenFinding): boolean =>
    isMissingCall(one) && session.deck.answerTo(one.miss) !== undefined;
  session.findings.recalled(known.filter((one) => hasTest(one) && !isAnswered(one)));
  return known;
}
