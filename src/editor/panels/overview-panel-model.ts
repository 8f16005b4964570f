import { isFields } from "../../core/protocol/reading/lenient.ts";
import type { CallsPart } from "../../core/overview/overview-data.ts";
import { facetText } from "../calls-tree/call-filter-model.ts";

/** What an overview was opened for. Plain: pages keep it over a reload of the window. */
export interface OverviewSubject {
  /** As commands name a folder; absent in a window of one. */
  readonly folder?: string;
}

/** Reads a subject that comes back from a page; undefined where it is none. */
export function overviewSubjectFrom(value: unknown): OverviewSubject | undefined {
  if (!isFields(value)) return undefined;
  const { folder } = value;
  return typeof folder === "string" ? { folder } : {};
}

/** A part of the calls as the filter of the Calls view says it; "" for all. */
export function filterOf({ provider, model, test, state }: CallsPart): string {
  return [
    ...(state === undefined ? [] : [facetText("state", state)]),
    ...(provider === undefined ? [] : [facetText("provider", provider)]),
    ...(model === undefined ? [] : [facetText("model", model)]),
    // A facet is looked for in a test's file or in its titles: the innermost one tells it apart best.
    ...(test === undefined ? [] : [facetText("test", test.name.at(-1) ?? test.file)]),
  ].join(" ");
}
