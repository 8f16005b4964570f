import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import { testPlace, testTitle } from "../../core/view/names.ts";
import type { TroubleTarget } from "../calls-tree/call-node-model.ts";
import type { Finding } from "../../core/finding.ts";
import { plainDocument } from "./document-content-model.ts";

const FIXED = "This call failed earlier and is fixed: it was answered, or its test ran again without it.";

/** A call that failed: what happened, in the provider's words, what to do, and the test that made it. */
export function troubleDocument(
  troubles: readonly Finding[],
  { trouble: id }: TroubleTarget,
): RenderedDocument {
  const trouble = troubles.find((one) => one.id === id);
  if (trouble === undefined) return plainDocument(FIXED);
  const { what, why, fix, test, count } = trouble;
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
