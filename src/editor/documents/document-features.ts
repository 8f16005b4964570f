import { localize } from "../../core/base/localize.ts";
import { listMissingCalls } from "../findings/findings-model.ts";
import * as vscode from "vscode";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import { readPictureUrl } from "./picture-model.ts";
import type { CallsPart, DocumentSection, LinkTarget } from "../../core/view/rendered-document.ts";
import { COMMANDS, type CommandId, SCHEMES, addTagToArguments, createArguments } from "../window/ids.ts";
import { describeOpening, formatLensTitle } from "../window/messages-model.ts";
import type { Sessions } from "../session/folder-session.ts";
import type { AllDocuments, DocumentFolder } from "./documents.ts";
import { writeFacet } from "../calls/call-filter-model.ts";
import { createActions } from "./document-actions.ts";
import type { DocumentSubject } from "./document-uri-model.ts";
import { createCallUri, createFileUri, readSubjectOfUri, createTestUri } from "./uris.ts";

export interface FeatureParts {
  readonly sessions: Sessions<DocumentFolder>;
  readonly documents: AllDocuments;
  /** The extension's folder for pictures that a person opens. */
  readonly pictures: vscode.Uri;
}

/** Registers folding, outline, links, and actions of readable documents. */
export function registerDocumentFeatures(parts: FeatureParts): vscode.Disposable {
  const { documents } = parts;
  const selector = { scheme: SCHEMES.document };
  const sections = async (document: vscode.TextDocument): Promise<readonly DocumentSection[]> =>
    (await documents.rendered(document.uri)).sections;
  return vscode.Disposable.from(
    vscode.languages.registerFoldingRangeProvider(selector, {
      provideFoldingRanges: async (document) => (await sections(document)).map(foldingOf),
    }),
    vscode.languages.registerDocumentSymbolProvider(selector, {
      provideDocumentSymbols: async (document) =>
        (await sections(document)).map((section) => symbolOf(section, document)),
    }),
    vscode.languages.registerDocumentLinkProvider(selector, {
      provideDocumentLinks: (document) => linksOf(document, parts),
      resolveDocumentLink: (link) => resolvePicture(link, parts.pictures),
    }),
    vscode.languages.registerCodeLensProvider(selector, {
      onDidChangeCodeLenses: documents.onDidChange,
      provideCodeLenses: (document) => lensesOf(document, parts),
    }),
  );
}

/** "Imports" is the kind that the editor can fold initially (`editor.foldingImportsByDefault`). */
function foldingOf({ line, endLine, folded }: DocumentSection): vscode.FoldingRange {
  const { Imports, Region } = vscode.FoldingRangeKind;
  return new vscode.FoldingRange(line, endLine, folded === true ? Imports : Region);
}

function symbolOf(
  { title, line, endLine }: DocumentSection,
  document: vscode.TextDocument,
): vscode.DocumentSymbol {
  const rule = document.lineAt(Math.min(line, document.lineCount - 1)).range;
  const end = document.lineAt(Math.min(endLine, document.lineCount - 1)).range.end;
  return new vscode.DocumentSymbol(
    title,
    "",
    vscode.SymbolKind.String,
    new vscode.Range(rule.start, end),
    rule,
  );
}

class CallLink extends vscode.DocumentLink {
  picture: string | undefined;
}

async function linksOf(
  document: vscode.TextDocument,
  { documents, sessions }: FeatureParts,
): Promise<CallLink[]> {
  const own = sessions.of(document.uri);
  if (own === undefined) return [];
  const { links } = await documents.rendered(document.uri);
  await own.index.ensure(
    links.flatMap(({ target }) =>
      target.kind === "recording" && readCachedEntry(target.entry) === undefined ? [target.entry] : [],
    ),
  );
  const subject = readSubjectOfUri(document.uri);
  return links.flatMap(({ line, start, end, target }) => {
    const isPicture = target.kind === "url" && target.url.startsWith("data:");
    const uri = isPicture ? undefined : targetUri(target, own, subject?.of);
    // A recording can name a file outside the workspace.
    if (uri === undefined && !isPicture) return [];
    const link = new CallLink(new vscode.Range(line, start, line, end));
    if (isPicture) link.picture = target.url;
    else if (uri) link.target = uri;
    link.tooltip = target.kind === "url" ? describeOpening(target.url) : TOOLTIPS[target.kind];
    return link;
  });
}

const TOOLTIPS: Record<Exclude<LinkTarget["kind"], "url">, string> = {
  test: localize("Go to Test"),
  file: localize("Open the file of the recording"),
  recording: localize("Open the recording"),
  missed: localize("Open the missing call"),
  calls: localize("Show these calls in the Calls view"),
  run: localize("Show the timeline of this run"),
};

function targetUri(
  target: LinkTarget,
  own: DocumentFolder,
  of: DocumentSubject["of"] | undefined,
): vscode.Uri | undefined {
  const { session } = own;
  if (target.kind === "recording") return createCallUri({ entry: target.entry }, "all", own);
  if (target.kind === "url") return vscode.Uri.parse(target.url);
  if (target.kind === "missed") {
    const call = listMissingCalls(session.state.findings).find(({ miss }) => miss.key === target.key);
    return call && createCallUri({ finding: call.id }, "all", own);
  }
  if (target.kind === "run") return commandUri(COMMANDS.showTimeline, target.id, session.tag);
  if (target.kind === "calls") return commandUri(COMMANDS.filterCalls, filterOf(target), session.tag);
  if (target.kind === "file") {
    if (of && "entry" in of) return createFileUri(session, of.entry);
    // Entries of a cache have the form "file:line".
    const [, file = target.path, line] = /^(.*):(\d+)$/u.exec(target.path) ?? [];
    const uri = createTestUri(session, file);
    return line === undefined ? uri : uri?.with({ fragment: `L${line}` });
  }
  const uri = createTestUri(session, target.file);
  return target.line === undefined ? uri : uri?.with({ fragment: `L${target.line}` });
}

function commandUri(command: CommandId, argument: string, tag: string | undefined): vscode.Uri {
  const args = encodeURIComponent(JSON.stringify(addTagToArguments([argument], tag)));
  return vscode.Uri.parse(`command:${command}?${args}`);
}

/** Writes a part of the calls as a filter of the Calls view. */
function filterOf({ provider, model, test, state }: CallsPart): string {
  return Object.entries({ state, provider, model, test })
    .flatMap(([name, value]) => (value === undefined ? [] : [writeFacet(name, value)]))
    .join(" ");
}

/** Writes the picture to a file when it is opened, because the editor cannot open data addresses. */
async function resolvePicture(link: vscode.DocumentLink, folder: vscode.Uri): Promise<vscode.DocumentLink> {
  if (!(link instanceof CallLink) || link.picture === undefined) return link;
  const picture = readPictureUrl(link.picture);
  if (picture === undefined) return link;
  const uri = vscode.Uri.joinPath(folder, picture.name);
  await vscode.workspace.fs.writeFile(uri, picture.bytes);
  link.target = uri;
  return link;
}

function lensesOf(document: vscode.TextDocument, { sessions }: FeatureParts): vscode.CodeLens[] {
  const subject = readSubjectOfUri(document.uri);
  const own = sessions.of(document.uri);
  if (own === undefined || subject === undefined || subject.part !== "all") return [];
  const top = new vscode.Range(0, 0, 0, 0);
  return createActions(subject.of, own).map(
    ({ icon, title, tooltip, command, arguments: args }) =>
      new vscode.CodeLens(top, {
        title: formatLensTitle(icon, title),
        tooltip,
        command,
        arguments: createArguments(command, args, own.session.tag),
      }),
  );
}
