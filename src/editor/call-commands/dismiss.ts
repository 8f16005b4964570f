import { plural } from "../../core/base/plural.ts";
import { offerUndo } from "./offer-undo.ts";
import type { ViewDeps } from "./view-deps.ts";
import { isMissingCall } from "../findings/findings-model.ts";

/** Dismisses findings. They return if the problem happens again or the person undoes the command. */
export function dismiss(ids: readonly string[], deps: ViewDeps): void {
  const { session } = deps;
  const known = session.state.findings.filter(({ id }) => ids.includes(id));
  if (known.length === 0) return;
  session.findings.dismiss(known);
  const what = known.every(isMissingCall) ? "missing call" : "finding";
  const undo = (): Promise<void> => Promise.resolve(session.findings.recalled(known));
  offerUndo({ done: `Dismissed ${plural(known.length, what)}.`, undo }, deps);
}
