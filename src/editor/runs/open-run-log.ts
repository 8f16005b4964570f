import * as vscode from "vscode";
import { explain } from "../../core/base/errors.ts";
import type { RunHead } from "../../core/view/run-record/run-record-text.ts";
import { completeCalls, completeRun } from "../../deck/complete-calls.ts";
import type { Deck } from "../../deck/deck.ts";
import { keepRun, listRuns, newRunId, readRun } from "../../storage/runs/kept-runs.ts";
import { noteTimings } from "../../storage/runs/timings.ts";
import { createRunLog, type OpenRunLog } from "./run-log-model.ts";

/**
 * The runs that are kept beside a deck's recordings. Before the folder is trusted, nothing of it is read; nothing is
 * written either, since no server runs.
 */
export function openRunLog(
  deck: Deck,
  { kept, warn }: { readonly kept: () => void; readonly warn: (problem: string) => void },
): OpenRunLog {
  const { dir } = deck;
  const heads = new Map<string, RunHead>();
  return createRunLog({
    newId: newRunId,
    complete: (calls) => completeCalls(calls, deck),
    async keep(record) {
      await noteTimings(dir, record.calls);
      await keepRun(dir, record);
      kept();
    },
    kept: {
      list: async () => (vscode.workspace.isTrusted ? listRuns(dir, heads) : []),
      async read(id) {
        const record = vscode.workspace.isTrusted ? await readRun(dir, id) : undefined;
        return record && completeRun(record, deck);
      },
    },
    failed: (error) => warn(`A run is not remembered: ${explain(error)}`),
  });
}
