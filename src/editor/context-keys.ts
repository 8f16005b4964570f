import * as vscode from "vscode";
import { CONTEXTS } from "./ids.ts";
import type { Session } from "./session.ts";

type ContextKey = (typeof CONTEXTS)[keyof typeof CONTEXTS];

/** Keeps the session's keys for `when` clauses current; each is set only when it changes. */
export function createContextKeys(session: Session): vscode.Disposable {
  const known = new Map<ContextKey, unknown>();
  const set = (key: ContextKey, value: unknown): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  };
  const update = (): void => {
    const { state } = session;
    set(CONTEXTS.session, true);
    set(CONTEXTS.active, session.trusted);
    set(CONTEXTS.status, session.status.kind);
    set(CONTEXTS.mode, session.mode);
    set(CONTEXTS.hasMissing, state.missing.length > 0);
    set(CONTEXTS.hasCandidates, state.candidates.size > 0);
    set(CONTEXTS.running, state.runs.length > 0);
    set(CONTEXTS.unreached, state.unreached !== undefined);
  };
  update();
  return session.onDidChange(update);
}
