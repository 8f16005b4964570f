import { callLabel } from "../../core/view/row.ts";
import type { Deck } from "../../deck/deck.ts";
import type { MissingCall } from "../findings/findings-model.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import { isTexts, jsonIn } from "../../core/base/lenient.ts";
import { readEntry } from "../../core/cassette/address.ts";
import { visible } from "../../core/base/visible.ts";
import { shortKey } from "../../core/call/names.ts";
import { readCachedEntry, type CachedRef } from "../../core/cassette/cached-ref.ts";
import type { CachedTarget, CallTarget, OverviewTarget, TestCalls } from "../calls/call-node-model.ts";

/** What a document shows. `part` "request" is the request alone, for comparing. */
export interface DocumentSubject {
  readonly of: CallTarget | CachedTarget | TestCalls | OverviewTarget;
  readonly part: "all" | "conversation" | "request";
  /** The folder whose call it is, where a window may have several. */
  readonly folder?: string;
}

/** The parts of an address that the editor's `Uri.from` takes. The path is what people see on the tab. */
interface DocumentAddress {
  readonly path: string;
  readonly query: string;
}

const PARTS = ["all", "conversation", "request"] as const;
/** Folders in the address choose the language: see "filenamePatterns" in package.json. */
const FOLDERS = { entry: "Tapedeck recordings", missing: "Tapedeck missing calls" };
const TITLE_CHARACTERS = 48;

/** `label`: as `callLabel` gives it; a title without meaning of its own, so the same subject may have several. */
export function documentAddress(subject: DocumentSubject, label?: string): DocumentAddress {
  const { of, part } = subject;
  // The title names no state: a missing call may be recorded while its tab is open.
  const isMissing = "finding" in of && /^(?:missing|made-up) /u.test(of.finding);
  const folder = isMissing ? FOLDERS.missing : FOLDERS.entry;
  const state = "finding" in of && !isMissing ? "Failed: " : "";
  const which = whichOf(of);
  return {
    path: `/${folder}/${state}${titleFrom(label ?? keyOf(subject))}`,
    query: [
      which,
      ...(part === "all" ? [] : [`part=${part}`]),
      ...(subject.folder === undefined ? [] : [`folder=${encodeURIComponent(subject.folder)}`]),
    ].join("&"),
  };
}

/** Knows what calls are named after. */
export interface CallSources {
  readonly session: { readonly tag: string | undefined; readonly deck: Pick<Deck, "describeRequest"> };
  readonly index: Pick<RecordingIndex, "facts">;
  readonly documents: { missing(id: string): MissingCall | undefined };
}

/** Returns the title of a call for tabs and prompts; undefined if the call is unknown. */
export function callTitle(
  target: CallTarget,
  { session, index, documents }: CallSources,
): string | undefined {
  if ("entry" in target) {
    const facts = index.facts(target.entry);
    return facts?.kind === "read" ? facts.label : readCachedEntry(target.entry)?.file;
  }
  const call = documents.missing(target.finding);
  if (call === undefined) return undefined;
  try {
    return callLabel(session.deck.describeRequest(call.miss));
  } catch {
    return `"${call.miss.label}"`;
  }
}

function whichOf(of: DocumentSubject["of"]): string {
  if ("overview" in of) return `overview=${of.overview.days}&at=${of.overview.at}`;
  if ("test" in of) return `test=${encodeURIComponent(JSON.stringify([of.test.file, ...of.test.name]))}`;
  if ("cached" in of) return `cache=${encodeURIComponent(of.cached.file)}&digest=${of.cached.digest}`;
  if ("finding" in of) return `finding=${encodeURIComponent(of.finding)}`;
  const cached = readCachedEntry(of.entry);
  return cached === undefined ? `entry=${encodeURIComponent(of.entry)}` : whichOf({ cached });
}

/** Undefined where the query was not made by `documentAddress`. */
export function subjectFromQuery(query: string): DocumentSubject | undefined {
  const values = new URLSearchParams(query);
  const entry = values.get("entry");
  const finding = values.get("finding");
  const part = PARTS.find((name) => name === (values.get("part") ?? "all"));
  if (part === undefined) return undefined;
  const folder = values.get("folder");
  const rest = { part, ...(folder !== null && { folder }) };
  const cached = cachedFrom(values);
  if (cached) return { of: { cached }, ...rest };
  const test = testFrom(values.get("test"));
  if (test) return { of: { test }, ...rest };
  const overview = values.get("overview");
  if (overview !== null)
    return { of: { overview: { days: Number(overview), at: Number(values.get("at")) } }, ...rest };
  if (entry !== null) return { of: { entry }, ...rest };
  return finding === null ? undefined : { of: { finding }, ...rest };
}

function cachedFrom(values: URLSearchParams): CachedRef | undefined {
  const [file, digest] = [values.get("cache"), values.get("digest")];
  return file === null || digest === null ? undefined : { file, digest };
}

function testFrom(text: string | null): TestCalls["test"] | undefined {
  const parts = jsonIn(text ?? "");
  if (!isTexts(parts)) return undefined;
  const [file, ...name] = parts;
  return file === undefined ? undefined : { file, name };
}

function keyOf({ of }: DocumentSubject): string {
  if ("overview" in of) return `Overview, last ${of.overview.days} days`;
  if ("test" in of) return of.test.name.at(-1) ?? of.test.file;
  if ("cached" in of) return shortKey(of.cached.digest);
  if ("finding" in of) return shortKey(of.finding.slice(of.finding.indexOf(" ") + 1));
  const address = readEntry(of.entry);
  return "wrong" in address ? of.entry : shortKey(address.key);
}

/** One path segment: no separators, no quotes around it, not longer than a tab is wide. */
function titleFrom(label: string): string {
  const bare = visible(label)
    .replace(/^"(.*)"$/su, "$1")
    .replace(/[/\\\s]+/gu, " ")
    .trim();
  const characters = Array.from(bare);
  const title =
    characters.length <= TITLE_CHARACTERS
      ? bare
      : `${characters.slice(0, TITLE_CHARACTERS).join("").trimEnd()}…`;
  return /^\.*$/u.test(title) ? "Call" : title;
}
