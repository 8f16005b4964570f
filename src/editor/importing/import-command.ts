/** Imports recordings of other tools. Loaded on the first import. */
import { joinSentences, localize } from "../../core/base/localize.ts";
import * as path from "node:path";
import * as vscode from "vscode";
import { localizeCount } from "../../core/base/plural.ts";
import { ENDINGS, findFiles } from "../../importing/find-files.ts";
import {
  type FileReport,
  describeNoRecordings,
  listLeftOut,
  formatSums,
  sumReports,
} from "../../importing/report.ts";
import type { Log } from "../window/log.ts";
import { expectTrust } from "../session/session-connection.ts";
import type { Session } from "../session/session.ts";
import { showInformation, showWarning, showProgress } from "../window/messages.ts";
import { getPathInside } from "../../storage/inside.ts";
import { importFiles } from "../../importing/import-files.ts";

/**
 * Imports the given files, or files that a person picks. Shows a message with the totals, and logs every call. Resolves
 * to the message; undefined if nothing was picked.
 */
export async function importInto(
  session: Session,
  log: Log,
  given: readonly unknown[],
): Promise<string | undefined> {
  expectTrust();
  const files = pathsIn(given) ?? (await pick(session));
  if (files === undefined || files.length === 0) return undefined;
  const reports = await readAll(session, files);
  const shown = path.relative(session.folder.uri.fsPath, session.deck.dir) || session.deck.dir;
  const reasons = listLeftOut(reports);
  for (const { file, imported, present } of reports) {
    for (const { place, entry } of imported) log.info(localize("Imported {0}, {1}: {2}", file, place, entry));
    for (const { place, entry } of present)
      log.info(localize("Already recorded {0}, {1}: {2}", file, place, entry));
  }
  for (const { text, isRefused } of reasons)
    log.warn(isRefused ? localize("Refused {0}", text) : localize("Skipped {0}", text));
  const isGood = reasons.length === 0 && sumReports(reports).files > 0;
  const counted =
    sumReports(reports).files === 0
      ? localize("Nothing was imported.")
      : localize("{0}.", formatSums(reports, shown));
  const sums = reports.length === 0 ? describeNoRecordings() : counted;
  // A secret in a file is more important than other skipped calls.
  const first = reasons.find(({ isRefused }) => isRefused) ?? reasons[0];
  const message = first === undefined ? sums : joinSentences(sums, reasonText(first.text, reasons.length));
  void showResult(message, { isGood, log });
  return message;
}

/** Returns the first reason. The log has the others. */
function reasonText(text: string, count: number): string {
  const reason = localize("Skipped: {0}.", text.replace(/[.。]$/u, ""));
  if (count === 1) return reason;
  const more = localizeCount(count - 1, "The log has {0} more reason.", "The log has {0} more reasons.");
  return joinSentences(reason, more);
}

/** The Explorer passes the clicked file and all selected files. */
function pathsIn([clicked, chosen]: readonly unknown[]): readonly string[] | undefined {
  const uris = (Array.isArray(chosen) ? chosen : [clicked]).filter((one) => one instanceof vscode.Uri);
  return uris.length === 0 ? undefined : uris.map(({ fsPath }) => fsPath);
}

async function pick(session: Session): Promise<readonly string[] | undefined> {
  const picked = await vscode.window.showOpenDialog({
    title: localize("Tapedeck: Import Recordings of VCR, HAR, Polly, nock, or JSON Lines"),
    openLabel: localize("Import"),
    canSelectMany: true,
    defaultUri: session.folder.uri,
    filters: { [localize("Recordings of other tools")]: ENDINGS, [localize("All files")]: ["*"] },
  });
  return picked?.map(({ fsPath }) => fsPath);
}

/**
 * Imports files, and all files below folders, as `tapedeck import` does.
 * @throws TapedeckError if tapedeck.jsonc is broken, a file is missing, or a file cannot be written
 */
async function readAll(
  { deck, settings, folder }: Session,
  files: readonly string[],
): Promise<readonly FileReport[]> {
  const options = { where: "message", title: localize("Importing recordings"), cancellable: true } as const;
  const root = folder.uri.fsPath;
  await deck.project.reload();
  const project = deck.project.current;
  // Without the project's rules, recordings would get different keys than future calls.
  if (project.problem !== undefined) throw project.problem;
  const { store, providers } = deck;
  const named = files.map((file) => getPathInside(root, file) || file);
  const found = await findFiles(named, { cwd: root, dir: deck.dir });
  return showProgress(options, (report, signal) =>
    importFiles(found, {
      store,
      providers,
      project,
      root,
      upstreams: settings.upstreams,
      recordsErrors: deck.project.record.errors === true,
      from: undefined,
      now: Date.now(),
      signal,
      onFile: ({ shown }, done) =>
        report({
          message: found.length === 1 ? shown : localize("{0} ({1} of {2})", shown, done + 1, found.length),
          increment: 100 / found.length,
        }),
    }),
  );
}

async function showResult(
  text: string,
  { isGood, log }: { readonly isGood: boolean; readonly log: Log },
): Promise<void> {
  const showLog = localize("Show Log");
  const showMessage = isGood ? showInformation : showWarning;
  if ((await showMessage(text, showLog)) === showLog) log.show();
}
