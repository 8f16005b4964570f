import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import { testPlace, testTitle } from "../../core/view/names.ts";
import { plainDocument } from "./document-content-model.ts";
import type { OpenFinding } from "../findings/findings-model.ts";

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
