/** What imports other tools' recordings: a file of its own, loaded when an import is asked for. */
import * as path from "node:path";
import * as vscode from "vscode";
import { wrongUsage } from "../../core/base/errors.ts";
import { plural } from "../../core/base/plural.ts";
import { ENDINGS, findFiles } from "../../importing/find-files.ts";
import { type FileReport, NO_RECORDINGS, leftOut, sumsText, totalsOf } from "../../importing/report.ts";
import type { Log } from "../window/log.ts";
import type { Session } from "../session/session.ts";
import { sayInformation, sayWarning, showProgress } from "../window/messages.ts";
import { importFiles } from "../../importing/import-files.ts";

/**
 * Imports the given files, or those that a person picks, and says what came of it: in a message with the sums, and in
 * the log call by call. Gives what was said; undefined where nothing was picked.
 */
export async function importInto(
  session: Session,
  log: Log,
  given: readonly unknown[],
): Promise<string | undefined> {
  if (!session.trusted)
    throw wrongUsage(
      "Recordings are imported into trusted folders only.",
      "Trust the workspace, then try again.",
    );
  const files = pathsIn(given) ?? (await pick(session));
  if (files === undefined || files.length === 0) return undefined;
  const reports = await readAll(session, files);
  const shown = path.relative(session.folder.uri.fsPath, session.deck.dir) || session.deck.dir;
  const reasons = leftOut(reports);
  for (const { file, imported, present } of reports) {
    for (const { place, entry } of imported) log.info(`imported ${file}, ${place}: ${entry}`);
    for (const { place, entry } of present) log.info(`already recorded ${file}, ${place}: ${entry}`);
  }
  for (const { text, isRefused } of reasons) log.warn(`${isRefused ? "refused" : "skipped"} ${text}`);
  const isGood = reasons.length === 0 && totalsOf(reports).files > 0;
  const counted = totalsOf(reports).files === 0 ? "Nothing was imported." : `${sumsText(reports, shown)}.`;
  const sums = reports.length === 0 ? NO_RECORDINGS : counted;
  // A secret in a file matters more than what is merely not taken.
  const first = reasons.find(({ isRefused }) => isRefused) ?? reasons[0];
  const why = first === undefined ? "" : ` ${reasonText(first.text, reasons.length)}`;
  void tell(`${sums}${why}`, { isGood, log });
  return `${sums}${why}`;
}

/** The first reason; the others stand in the log. */
function reasonText(text: string, count: number): string {
  const more = count === 1 ? "" : ` And ${plural(count - 1, "more reason")}, in the log.`;
  return `Left out: ${text.replace(/\.$/u, "")}.${more}`;
}

/** The explorer gives the file that was clicked, and all that are chosen. */
function pathsIn([clicked, chosen]: readonly unknown[]): readonly string[] | undefined {
  const uris = (Array.isArray(chosen) ? chosen : [clicked]).filter((one) => one instanceof vscode.Uri);
  return uris.length === 0 ? undefined : uris.map(({ fsPath }) => fsPath);
}

async function pick(session: Session): Promise<readonly string[] | undefined> {
  const picked = await vscode.window.showOpenDialog({
    title: "Tapedeck: import recordings of VCR, HAR, Polly, nock, aimock, Llama Stack, or lines of JSON",
    openLabel: "Import",
    canSelectMany: true,
    defaultUri: session.folder.uri,
    filters: { "Recordings of other tools": ENDINGS, "All files": ["*"] },
  });
  return picked?.map(({ fsPath }) => fsPath);
}

/**
 * Imports files and what is below folders, as `tapedeck import` does.
 * @throws TapedeckError if the project's file is broken, a file is missing, or the disk refuses.
 */
async function readAll(
  { deck, settings, folder }: Session,
  files: readonly string[],
): Promise<readonly FileReport[]> {
  const options = { where: "message", title: "Importing recordings", cancellable: true } as const;
  const root = folder.uri.fsPath;
  await deck.project.reload();
  const project = deck.project.current;
  // Without its rules, recordings would get other keys than the calls to come.
  if (project.problem !== undefined) throw project.problem;
  const { store, providers } = deck;
  const named = files.map((file) => shownIn(root, file));
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
          message: found.length === 1 ? shown : `${shown} (${done + 1} of ${found.length})`,
          increment: 100 / found.length,
        }),
    }),
  );
}

/** As people name it: within the folder by its path there. */
function shownIn(root: string, file: string): string {
  const inside = path.relative(root, file);
  return inside === "" || inside.startsWith("..") || path.isAbsolute(inside) ? file : inside;
}

async function tell(
  text: string,
  { isGood, log }: { readonly isGood: boolean; readonly log: Log },
): Promise<void> {
  const showLog = "Show Log";
  const say = isGood ? sayInformation : sayWarning;
  if ((await say(text, showLog)) === showLog) log.show();
}
