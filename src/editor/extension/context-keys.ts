import * as vscode from "vscode";
import { CONTEXTS } from "../window/ids.ts";
import { isRuled, listMissingCalls } from "../findings/findings-model.ts";
import type { SessionState } from "../session/session-model.ts";
import type { ViewFolder } from "../calls-tree/calls-model.ts";
import type { Sessions } from "../session/folder-session.ts";

export type ContextKey = (typeof CONTEXTS)[keyof typeof CONTEXTS];

/**
 * Keeps the keys for `when` clauses current; each is set only when it changes. Status and mode are the current folder's;
 * what there is to do counts in every folder.
 */
export function createContextKeys(sessions: Sessions<ViewFolder>): vscode.Disposable {
  const known = new Map<string, unknown>();
  const set = (key: string, value: unknown): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  };
  const update = (): void => {
    const { all, current } = sessions;
    const any = (is: (state: SessionState) => boolean): boolean =>
      all.some(({ session }) => is(session.state));
    const values: Readonly<Partial<Record<ContextKey, unknown>>> = {
      [CONTEXTS.session]: current !== undefined,
      [CONTEXTS.active]: current?.session.trusted === true,
      [CONTEXTS.status]: current?.session.lifecycle.status.kind,
      [CONTEXTS.mode]: current?.session.mode,
      [CONTEXTS.hasMissing]: any(({ findings }) => listMissingCalls(findings).length > 0),
      [CONTEXTS.hasRules]: any(({ findings }) => findings.some(isRuled)),
      [CONTEXTS.hasCandidates]: any(({ candidates }) => candidates.size > 0),
      [CONTEXTS.running]: any(({ runs }) => runs.length > 0),
      [CONTEXTS.unreached]: any(({ unreached }) => unreached !== undefined),
    };
    for (const [key, value] of Object.entries(values)) set(key, value);
  };
  update();
  return vscode.Disposable.from(
    sessions.onDidChange(update),
    sessions.onDidChangeCurrent(update),
    sessions.onDidChangeState(update),
  );
}
