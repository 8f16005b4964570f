import { visible } from "../../core/base/visible.ts";
import { explain } from "../../core/base/errors.ts";
import type { Miss } from "../../core/call/call.ts";
import type { RecordingView, RequestView } from "../../core/view/describe.ts";
import { type RecordingDocumentOptions, renderRecording } from "../../core/view/recording-document.ts";
import { type MissDocumentOptions, renderMiss } from "../../core/view/miss-document.ts";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import type { DocumentSubject } from "./document-uri-model.ts";
import { testPlace, testTitle } from "../../core/call/test-names.ts";
import type { OpenFinding } from "../findings/findings-model.ts";

type Part = DocumentSubject["part"];

/** Characters of each text: beyond them the window would stand still while it lays them out. */
export const SHOWN = 200_000;

/** A recording, or the part of it that is compared. */
export function recordingDocument(
  view: RecordingView,
  part: Part,
  options: RecordingDocumentOptions,
): RenderedDocument {
  if (part !== "request")
    return partOf(renderRecording(view, { cutAt: SHOWN, ...options }), part, titleOf(view.recording));
  const { recording, facts, conversation } = view;
  return requestDocument({ facts, conversation }, recording);
}

/** A missing call, or its request alone. */
export function missDocument(
  { miss, view }: { readonly miss: Miss; readonly view: RequestView },
  part: Part,
  options: MissDocumentOptions,
): RenderedDocument {
  return part === "all" ? renderMiss(miss, view, { cutAt: SHOWN, ...options }) : requestDocument(view, miss);
}

type Titled = Pick<Miss, "provider" | "operation" | "model">;

function titleOf({ provider, operation, model }: Titled): string {
  return [provider, operation, model].filter((word) => word !== undefined).join(" · ");
}

/** The same for a recording and for a missing call, so that only what was asked can differ. */
function requestDocument(view: RequestView, titled: Titled): RenderedDocument {
  const { provider, operation, model } = titled;
  const miss: Miss = {
    key: `sha256:${"0".repeat(64)}`,
    provider,
    operation,
    ...(model !== undefined && { model }),
    label: view.facts.label,
    request: { method: "", path: "", body: new Uint8Array() },
    message: "",
  };
  return partOf(renderMiss(miss, view, { cutAt: SHOWN, now: 0 }), "request", titleOf(titled));
}

/** Without the header, where two documents always differ: ages, files, keys. */
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

/** A document that says why there is nothing to show. */
export const failureDocument = (error: unknown): RenderedDocument => plainDocument(explain(error));

export function plainDocument(text: string): RenderedDocument {
  return { text: `${visible(text)}\n`, sections: [], links: [] };
}

const FIXED = "This call failed earlier and is fixed: it was answered, or its test ran again without it.";

/** A call that failed: what happened, in the provider's words, what to do, and the test that made it. */
export function findingDocument(finding: OpenFinding, open: readonly OpenFinding[]): RenderedDocument {
  if (!open.some(({ id }) => id === finding.id)) return plainDocument(FIXED);
  const { what, why, fix, test, count } = finding;
  return plainDocument(
    [
      what,
      "",
      `Why     ${why}`,
      `Fix     ${fix}`,
      ...(test ? [`Test    ${testPlace(test)}  ${testTitle(test)}`] : []),
      ...(count > 1 ? [`Times   ${count}`] : []),
    ].join("\n"),
  );
}
