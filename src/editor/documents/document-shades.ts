import * as vscode from "vscode";
import { COLOURS, SCHEMES } from "../window/ids.ts";
import type { AllDocuments } from "./all-documents.ts";
import { shadesOf } from "./document-shades-model.ts";

/** Draws rules and labels of readable documents in the theme's quieter colour. */
export function registerDocumentShades(documents: AllDocuments): vscode.Disposable {
  const quiet = vscode.window.createTextEditorDecorationType({
    color: new vscode.ThemeColor(COLOURS.quiet),
  });
  const shade = async (editor: vscode.TextEditor): Promise<void> => {
    const { document } = editor;
    if (document.uri.scheme !== SCHEMES.document) return;
    const { text, sections } = await documents.rendered(document.uri);
    if (text !== document.getText()) return; // the next change of the document comes here again
    editor.setDecorations(
      quiet,
      shadesOf(text, sections).map(({ line, start, end }) => new vscode.Range(line, start, line, end)),
    );
  };
  const shadeAll = (): void => {
    for (const editor of vscode.window.visibleTextEditors) void shade(editor);
  };
  shadeAll();
  return vscode.Disposable.from(
    quiet,
    vscode.window.onDidChangeVisibleTextEditors(shadeAll),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.uri.scheme === SCHEMES.document) shadeAll();
    }),
  );
}
