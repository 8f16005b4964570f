import { localize } from "../../core/base/localize.ts";
import * as path from "node:path";
import * as vscode from "vscode";
import { explain, wrongUsage } from "../../core/base/errors.ts";
import { visible } from "../../core/base/visible.ts";
import { throttle } from "../window/throttle.ts";
import { isMissingCall } from "../findings/findings-model.ts";
import type { Session } from "../session/session.ts";
import { COMMANDS, SCHEMES, SCRIPT_FILES, addressArguments } from "../window/ids.ts";
import type { Sessions } from "../session/folder-session.ts";

/** Minimum time between two updates of a preview while its script is edited. */
const EVERY_MS = 300;

/** Registers the previews of lenient mode scripts, and a lens on scripts that opens the preview. */
export function registerScriptPages(sessions: Sessions): vscode.Disposable {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const lenses = new vscode.EventEmitter<void>();
  const update = throttle(
    () => {
      lenses.fire();
      for (const { uri } of vscode.workspace.textDocuments)
        if (uri.scheme === SCHEMES.preview) changed.fire(uri);
    },
    () => EVERY_MS,
  );
  return vscode.Disposable.from(
    changed,
    lenses,
    update,
    vscode.workspace.registerTextDocumentContentProvider(SCHEMES.preview, {
      onDidChange: changed.event,
      provideTextDocumentContent: (uri) => previewOf(vscode.Uri.parse(uri.query, true), sessions),
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (isScript(document, sessions)) update();
    }),
    sessions.forEach((one) => one.session.onDidChange(update)),
    vscode.languages.registerCodeLensProvider(
      [
        { scheme: "file", language: "json" },
        { scheme: "file", pattern: SCRIPT_FILES },
        { scheme: "file", pattern: "**/*.jsonl" },
      ],
      {
        onDidChangeCodeLenses: lenses.event,
        provideCodeLenses: (document) => (isScript(document, sessions) ? [lensOf(document, sessions)] : []),
      },
    ),
  );
}

/** Whether a file is a script: by its name, or because tapedeck.jsonc names it. */
function isScript({ uri }: vscode.TextDocument, sessions: Sessions): boolean {
  const session = uri.scheme === "file" ? sessions.of(uri)?.session : undefined;
  if (session === undefined || !session.lifecycle.known) return false;
  return /tapedeck-script[^/]*\.jsonl?$/u.test(uri.path) || uri.fsPath === scriptOf(session);
}

function scriptOf({ deck: { project } }: Session): string | undefined {
  const { lenient } = project.current.config;
  if (lenient === undefined || !("script" in lenient) || lenient.file === undefined) return undefined;
  return path.join(path.dirname(project.path), lenient.file);
}

function lensOf({ uri }: vscode.TextDocument, sessions: Sessions): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
    title: `$(open-preview) ${localize("Preview the first calls")}`,
    tooltip: localize("Show the replies of this script, and those to the missing calls of this window"),
    command: COMMANDS.previewScript,
    arguments: [...addressArguments([uri.toString()], sessions.of(uri)?.session.tag)],
  });
}

async function previewOf(script: vscode.Uri, sessions: Sessions): Promise<string> {
  const session = sessions.of(script)?.session;
  if (session === undefined || !session.trusted)
    return `${localize("The folder of this script is not open or not trusted.")}\n`;
  try {
    const text = (await vscode.workspace.openTextDocument(script)).getText();
    const { scriptPreview } = await import("./script-preview-model.ts");
    const calls = session.state.findings.filter(isMissingCall).toSorted((a, b) => a.at - b.at);
    const file = path.basename(script.fsPath);
    return await scriptPreview({ text, file }, { deck: session.deck, calls });
  } catch (error) {
    return `${visible(explain(error))}\n`;
  }
}

/** Shows the preview of a script beside it. Without an argument, previews the open script. */
export async function showPreview(given: unknown): Promise<void> {
  const script =
    typeof given === "string" ? vscode.Uri.parse(given, true) : vscode.window.activeTextEditor?.document.uri;
  if (script === undefined || !/\.jsonl?$/u.test(script.path))
    throw wrongUsage(
      localize("No script is open."),
      localize('Open one, or run "Select Lenient Mode Replies…".'),
    );
  const uri = vscode.Uri.from({
    scheme: SCHEMES.preview,
    // Without the extension, because the preview is not JSON.
    path: `/${localize("Preview of {0}", path.parse(script.fsPath).name)}`,
    query: script.toString(),
  });
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, {
    viewColumn: vscode.ViewColumn.Beside,
    preserveFocus: true,
    preview: true,
  });
}
