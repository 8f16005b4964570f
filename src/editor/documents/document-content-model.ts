import { localize } from "../../core/base/localize.ts";
import { makeVisible } from "../../core/base/visible.ts";
import { explain } from "../../core/base/errors.ts";
import type { Miss } from "../../core/call/call.ts";
import type { RecordingView, RequestView } from "../../core/view/describe.ts";
import { listToolCalls } from "../../core/view/message-text.ts";
import {
  type RecordingDocumentOptions,
  renderRecording,
  writeRequest,
  writeSettings,
} from "../../core/view/recording-document.ts";
import { type MissDocumentOptions, renderMiss } from "../../core/view/miss-document.ts";
import { createDocumentWriter, type RenderedDocument } from "../../core/view/rendered-document.ts";
import type { DocumentSubject } from "./document-uri-model.ts";
import { formatTestPlace, formatTestTitle } from "../../core/call/test-names.ts";
import type { OpenFinding } from "../findings/findings-model.ts";

type Part = DocumentSubject["part"];

/** Maximum characters of each text. Longer ones would freeze the window while it lays them out. */
export const SHOWN = 200_000;

/** Renders a recording, or the part of it that is compared. */
export function renderRecordingDocument(
  view: RecordingView,
  part: Part,
  options: RecordingDocumentOptions,
): RenderedDocument {
  if (part !== "request")
    return partOf(renderRecording(view, { cutAt: SHOWN, ...options }), part, titleOf(view.recording));
  return requestDocument(view, view.recording);
}

/** Renders a missing call, or only its request. */
export function renderMissDocument(
  { miss, view }: { readonly miss: Miss; readonly view: RequestView },
  part: Part,
  options: MissDocumentOptions,
): RenderedDocument {
  return part === "all" ? renderMiss(miss, view, { cutAt: SHOWN, ...options }) : requestDocument(view, miss);
}

type MissTitle = Pick<Miss, "provider" | "operation" | "model">;

function titleOf({ provider, operation, model }: MissTitle): string {
  return [provider, operation, model].filter((word) => word !== undefined).join(" · ");
}

/** Renders the request in the same way for recordings and missing calls, so that only the requests differ. */
function requestDocument(
  { conversation }: Pick<RequestView, "conversation">,
  titled: MissTitle,
): RenderedDocument {
  const writer = createDocumentWriter({ cutAt: SHOWN });
  writer.line(titleOf(titled));
  writer.line();
  writeRequest(writer, conversation, listToolCalls(conversation.messages));
  writeSettings(writer, conversation);
  return writer.finish();
}

/** Removes the header, in which two documents always differ: ages, files, keys. */
function partOf(document: RenderedDocument, part: Part, title: string): RenderedDocument {
  if (part === "all") return document;
  const first = document.sections[0]?.line ?? 0;
  const added = [title, ""];
  const shift = first - added.length;
  const lines = document.text.split("\n");
  return {
    text: [...added, ...lines.slice(first)].join("\n"),
    sections: document.sections.map((section) => ({
      ...section,
      line: section.line - shift,
      endLine: section.endLine - shift,
    })),
    links: document.links
      .filter((link) => link.line >= first)
      .map((link) => ({ ...link, line: link.line - shift })),
  };
}

/** Renders the reason why there is nothing to show. */
export const renderFailureDocument = (error: unknown): RenderedDocument =>
  renderPlainDocument(explain(error));

export function renderPlainDocument(text: string): RenderedDocument {
  return { text: `${makeVisible(text)}\n`, sections: [], links: [] };
}

const FIXED = localize("This problem is fixed. The call got a response, or its test ran again without it.");

/** Renders a failed call: what happened, the provider's reason, what to do, and the test. */
export function renderFindingDocument(finding: OpenFinding, open: readonly OpenFinding[]): RenderedDocument {
  if (!open.some(({ id }) => id === finding.id)) return renderPlainDocument(FIXED);
  const { what, why, fix, test, count } = finding;
  return renderPlainDocument(
    [
      what,
      "",
      localize("Why     {0}", why),
      localize("Fix     {0}", fix),
      ...(test ? [localize("Test    {0}  {1}", formatTestPlace(test), formatTestTitle(test))] : []),
      ...(count > 1 ? [localize("Times   {0}", count)] : []),
    ].join("\n"),
  );
}
