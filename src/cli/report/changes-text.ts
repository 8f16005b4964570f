import { localize, formatNames } from "../../core/base/localize.ts";
import type { Cause, Changes } from "../../core/view/changes/group-changes.ts";
import type { ChangedCall, PlacedRecording } from "../../core/view/changes/pair-changes.ts";
import { formatCount, localizeCount } from "../../core/base/plural.ts";
import { formatTestTitle } from "../../core/call/test-names.ts";
import { makeVisibleLine } from "../../core/base/visible.ts";
import { formatCodeSpan, formatCodeBlock } from "./markdown.ts";

/** Maximum names to list, because thousands of calls may have changed. */
const NAMED = 3;

/** Returns the number of changes of each kind, e.g. "5,000 calls changed · 3 new". */
export function summarizeChanges({ causes, added, removed, replies, again }: Changes): string {
  const changed = causes.reduce((count, { calls }) => count + calls.length, 0);
  const counts = [
    [changed, changedCalls(changed)],
    [added.length, localize("{0} new", formatCount(added.length))],
    [removed.length, localize("{0} deleted", formatCount(removed.length))],
    [replies.length, otherReplies(replies.length)],
    [again.length, localize("{0} re-recorded with the same response", formatCount(again.length))],
  ] as const;
  const texts = counts.filter(([count]) => count > 0).map(([, text]) => text);
  return texts.length === 0 ? localize("no recording changed") : texts.join(" · ");
}

const changedCalls = (count: number): string => localizeCount(count, "{0} call changed", "{0} calls changed");

const otherReplies = (count: number): string =>
  localizeCount(count, "{0} other response", "{0} other responses");

export function formatChanges(changes: Changes): string {
  return sections(changes)
    .map(({ title, lines, names }) =>
      [title, ...lines.map((line) => `  ${line}`), `  ${names}`, ""].join("\n"),
    )
    .join("\n");
}

/**
 * Formats the changes for a pull request comment or a job summary. Text from other sources is formatted as code, so
 * that Markdown in it has no effect.
 */
export function formatChangesMarkdown(changes: Changes, title: string): string {
  const parts = sections(changes).map(({ title: heading, lines, names }) =>
    [
      `**${heading}**`,
      "",
      ...lines.flatMap((line) => [formatCodeBlock(line), ""]),
      formatCodeSpan(names),
      "",
    ].join("\n"),
  );
  return [`### ${title}`, "", summarizeChanges(changes), "", ...parts].join("\n");
}

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
  readonly names: string;
}

function sections(changes: Changes): readonly Section[] {
  const { added, removed, replies } = changes;
  const listSection = (title: string, all: readonly PlacedRecording[]): readonly Section[] =>
    all.length === 0 ? [] : [{ title, lines: [], names: recordingNames(all) }];
  return [
    ...changes.causes.map(causeSection),
    ...listSection(otherReplies(replies.length), afterOf(replies)),
    ...listSection(localize("{0} new", formatCount(added.length)), added),
    ...listSection(localize("{0} deleted", formatCount(removed.length)), removed),
  ];
}

function causeSection({ differences, calls }: Cause): Section {
  return {
    title: changedCalls(calls.length),
    lines: differences.map((line) => makeVisibleLine(line)),
    names: recordingNames(afterOf(calls)),
  };
}

const afterOf = (calls: readonly ChangedCall[]): readonly PlacedRecording[] =>
  calls.map(({ after }) => after);

function recordingNames(all: readonly PlacedRecording[]): string {
  return makeVisibleLine(formatNames([...new Set(all.map(recordingName))], NAMED));
}

/** Returns the recording's test if it is known, otherwise its file. */
function recordingName({ entry, recording: { test } }: PlacedRecording): string {
  return test === undefined ? entry : `${test.file} ${formatTestTitle(test)}`.trim();
}
