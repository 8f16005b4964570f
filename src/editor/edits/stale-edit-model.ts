import type { Key } from "../../core/call.ts";

/** What an edit that no run has seen yet will do to a recording. */
export interface StaleEdit {
  /** False where the text that changed also stands in places that did not: the recording may still be asked for. */
  readonly isCertain: boolean;
  /** The key of the call as it will be asked, where it can be computed from the recorded one. */
  readonly newKey?: Key;
  /** The recording that answers that call already: nothing will be missing. */
  readonly answeredBy?: string;
  /** The file that was edited, relative to the workspace folder. */
  readonly file: string;
  /** What changed, for a person: `"Say hi" → "Say hello"`. */
  readonly text: string;
}

/** Whether a test will miss a call because of an edit, as far as can be told. */
export function willBeMissing(edit: StaleEdit | undefined): boolean {
  return edit !== undefined && edit.answeredBy === undefined;
}

/** What an edit does, as a sentence. */
export function editText({ file, text, isCertain, answeredBy }: StaleEdit): string {
  const does = answeredBy === undefined ? "its call will be missing" : "another recording answers its call";
  return `${file} was edited (${text}): ${isCertain ? does : `perhaps ${does}`}.`;
}
