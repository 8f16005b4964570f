import * as path from "node:path";
import * as vscode from "vscode";
import type { CassetteStore } from "../core/cassette/store.ts";
import { isTapedeckError } from "../core/errors.ts";
import type { Session } from "./session.ts";

interface Fault {
  /** Path relative to the cassette folder. */
  readonly entry: string;
  readonly message: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
}

interface Checked {
  readonly count: number;
  readonly faults: readonly Fault[];
}

/** Enough to keep the disk busy. */
const AT_ONCE = 32;

/** Reads every recording and puts what is wrong where it is wrong, among the problems. */
export async function checkRecordings(
  session: Session,
  problems: vscode.DiagnosticCollection,
): Promise<void> {
  const { dir, store } = session.deck;
  problems.clear();
  const checked = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: "Checking recordings", cancellable: true },
    (progress, token) => check(store, progress, token),
  );
  if (!checked) return;
  for (const fault of checked.faults) {
    problems.set(vscode.Uri.file(path.join(dir, fault.entry)), [diagnosticFrom(fault)]);
  }
  await tell(checked);
}

/** Undefined where it was cancelled. */
async function check(
  store: CassetteStore,
  progress: vscode.Progress<{ message?: string; increment?: number }>,
  token: vscode.CancellationToken,
): Promise<Checked | undefined> {
  const strays = await store.strays();
  const addresses = await store.list();
  const faults: Fault[] = strays.map(({ path: entry, reason }) => ({
    entry,
    message: `This is not a recording: ${reason}`,
    line: 1,
    column: 1,
  }));
  for (let start = 0; start < addresses.length; start += AT_ONCE) {
    if (token.isCancellationRequested) return undefined;
    const some = addresses.slice(start, start + AT_ONCE);
    const found = await Promise.all(some.map(({ entry }) => faultOf(entry, store)));
    faults.push(...found.filter((fault) => fault !== undefined));
    const increment = (100 * some.length) / addresses.length;
    progress.report({ increment, message: `${start + some.length} of ${addresses.length}` });
  }
  return { count: addresses.length, faults };
}

async function faultOf(entry: string, store: CassetteStore): Promise<Fault | undefined> {
  try {
    await store.read(entry);
    return undefined;
  } catch (error) {
    if (!isTapedeckError(error)) throw error;
    const { line = 1, column = 1 } = error.position ?? {};
    return { entry, message: error.message, line, column };
  }
}

function diagnosticFrom({ message, line, column }: Fault): vscode.Diagnostic {
  const start = new vscode.Position(line - 1, column - 1);
  const diagnostic = new vscode.Diagnostic(new vscode.Range(start, start.translate(0, 1)), message);
  diagnostic.source = "tapedeck";
  diagnostic.code = "unreadable";
  return diagnostic;
}

async function tell({ count, faults }: Checked): Promise<void> {
  const recordings = count === 1 ? "1 recording" : `${count} recordings`;
  if (faults.length === 0) {
    void vscode.window.showInformationMessage(`${recordings} checked, every one can be replayed.`);
    return;
  }
  const show = "Show Problems";
  const text = `${recordings} checked, ${faults.length} ${faults.length === 1 ? "file needs" : "files need"} a look.`;
  if ((await vscode.window.showWarningMessage(text, show)) !== show) return;
  await vscode.commands.executeCommand("workbench.actions.view.problems");
}
