import { localize } from "../../core/base/localize.ts";
import { LANGUAGES } from "../window/ids.ts";
import { labelCall } from "../../core/view/row.ts";
import type { Deck } from "../../deck/deck.ts";
import { type OpenFinding, isMissingCall } from "../findings/findings-model.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import { type Fields, readFields, isText, isTexts, tryParsePlainJson } from "../../core/base/lenient.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { readEntry, shortenKey } from "../../core/cassette/address.ts";
import { cutText, makeVisible } from "../../core/base/visible.ts";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import type { CallTarget, OverviewTarget, TestCalls, TimelineTarget } from "../calls/call-node-model.ts";

const PARTS = ["all", "conversation", "request", "earlier"] as const;

/**
 * The subject of a document. For comparisons, `part` "request" shows only the request, and "earlier" the conversation of
 * a recording before it was recorded again.
 */
export interface DocumentSubject {
  readonly of: CallTarget | TestCalls | OverviewTarget | TimelineTarget;
  readonly part: (typeof PARTS)[number];
  /** The folder of the call, if the window can have several. */
  readonly folder?: string;
}

/** The parts of an address for the editor's `Uri.from`. The tab shows the path. */
interface DocumentAddress {
  readonly path: string;
  readonly query: string;
}

/** Folders of addresses. They determine the language: see "filenamePatterns" in package.json. */
const FOLDERS = {
  recording: "Tapedeck recordings",
  missing: "Tapedeck missing calls",
  failed: "Tapedeck failed calls",
  test: "Tapedeck tests",
  run: "Tapedeck runs",
};
const TITLE_CHARACTERS = 49;

/** `label`: the result of `labelCall`, for the title. It does not identify the subject, which can have several titles. */
export function createDocumentAddress(subject: DocumentSubject, label?: string): DocumentAddress {
  const { of } = subject;
  // The title of a missing call has no state, because it can be recorded while its tab is open.
  const kind = kindOf(of);
  const title = titleFrom(label ?? keyOf(subject));
  return {
    path: `/${FOLDERS[kind]}/${kind === "failed" ? localize("Failed: {0}", title) : title}`,
    query: JSON.stringify(subject),
  };
}

function kindOf(of: DocumentSubject["of"]): keyof typeof FOLDERS {
  if ("timeline" in of || "overview" in of) return "run";
  if ("finding" in of) return /^(?:missing|made-up) /u.test(of.finding) ? "missing" : "failed";
  return "test" in of ? "test" : "recording";
}

/** Returns the language of a document, which its folder also determines. */
export const getLanguage = ({ of }: DocumentSubject): string =>
  kindOf(of) === "run" ? LANGUAGES.run : LANGUAGES.call;

export interface CallSources {
  readonly session: { readonly tag: string | undefined; readonly deck: Pick<Deck, "describeRequest"> };
  readonly index: Pick<RecordingIndex, "facts">;
  readonly documents: { finding(id: string): OpenFinding | undefined };
}

/** Returns the title of a call for tabs and prompts; undefined if the call is unknown. */
export function getCallTitle(
  target: CallTarget,
  { session, index, documents }: CallSources,
): string | undefined {
  if ("entry" in target) {
    const facts = index.facts(target.entry);
    return facts?.kind === "read" ? facts.label : readCachedEntry(target.entry)?.file;
  }
  const call = documents.finding(target.finding);
  if (call === undefined || !isMissingCall(call)) return undefined;
  try {
    return labelCall(session.deck.describeRequest(call.miss));
  } catch {
    return `"${call.miss.label}"`;
  }
}

/** Reads the query of a document's address, which can come from any link. Undefined if it is invalid. */
export function readSubject(query: string): DocumentSubject | undefined {
  const { of, part, folder } = readFields(tryParsePlainJson(query));
  const known = subjectIn(readFields(of));
  const shown = PARTS.find((name) => name === part);
  if (known === undefined || shown === undefined) return undefined;
  return { of: known, part: shown, ...(isText(folder) && { folder }) };
}

function subjectIn({ entry, finding, ...rest }: Fields): DocumentSubject["of"] | undefined {
  if (isText(entry)) return { entry };
  if (isText(finding)) return { finding };
  const test = testIn(rest["test"]);
  if (test) return { test };
  const { days, at } = readFields(rest["overview"]);
  if (typeof days === "number" && typeof at === "number") return { overview: { days, at } };
  return readTimeline(rest);
}

/** Reads a timeline from a document's address or a command's argument; undefined if it is invalid. */
export function readTimeline(value: unknown): TimelineTarget | undefined {
  const { run, which, test } = readFields(readFields(value)["timeline"]);
  if (which !== "run" && which !== "recorded") return undefined;
  return { timeline: { which, ...(isText(run) && { run }), ...pickDefined({ test: testIn(test) }) } };
}

function testIn(value: unknown): TestCalls["test"] | undefined {
  const { file, name } = readFields(value);
  return isText(file) && isTexts(name) ? { file, name } : undefined;
}

function keyOf({ of }: DocumentSubject): string {
  if ("overview" in of) return localize("Overview, last {0} days", of.overview.days);
  if ("timeline" in of) return titleOfTimeline(of);
  if ("test" in of) return of.test.name.at(-1) ?? of.test.file;
  if ("finding" in of) return shortenKey(of.finding.slice(of.finding.indexOf(" ") + 1));
  const cached = readCachedEntry(of.entry);
  if (cached) return shortenKey(cached.digest);
  const address = readEntry(of.entry);
  return "wrong" in address ? of.entry : shortenKey(address.key);
}

function titleOfTimeline({ timeline: { test } }: TimelineTarget): string {
  return test === undefined ? localize("Timeline") : localize("Timeline: {0}", test.name.at(-1) ?? test.file);
}

/** Returns one path segment without separators and outer quotes, short enough for a tab. */
function titleFrom(label: string): string {
  const bare = makeVisible(label)
    .replace(/^"(.*)"$/su, "$1")
    .replace(/[/\\\s]+/gu, " ")
    .trim();
  const title = cutText(bare, TITLE_CHARACTERS);
  return /^\.*$/u.test(title) ? localize("Call") : title;
}
