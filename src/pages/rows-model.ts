import { localize } from "../core/base/localize.ts";
import { groupBy } from "../core/base/group-by.ts";
import type { RunCall, RunTest } from "../core/view/run-record/run-record.ts";
import { computeSpans, type CallSpan, type WhichTime } from "../core/view/run-record/run-times.ts";
import { getChainName } from "../core/cassette/address.ts";
import { getTestId } from "../core/call/test-names.ts";

export type Row = TestRow | TimelineCallRow;

export interface TestRow {
  readonly kind: "test";
  /** Stays the same when the timeline is rebuilt. */
  readonly id: string;
  readonly title: string;
  readonly file: string;
  readonly calls: number;
}

export interface TimelineCallRow {
  readonly kind: "call";
  readonly id: string;
  /** 1-based position in its test. */
  readonly number: number;
  readonly call: RunCall;
  readonly span: CallSpan;
  /** The calls whose ids its request has. */
  readonly continues: readonly TimelineCallRow[];
}

export interface Timeline {
  readonly rows: readonly Row[];
  /** The end of the last call, in milliseconds. */
  readonly until: number;
  /** Number of calls that do not match the search. */
  readonly hidden: number;
}

export interface TimelineOptions {
  readonly time: WhichTime;
  /** Shows only calls that contain every word, in the call or its test. Quotes keep words together. */
  readonly search: string;
}

/** Returns the rows of a run, grouped by test. */
export function buildTimeline(calls: readonly RunCall[], options: TimelineOptions): Timeline {
  const groups = linkRows(groupByTest(calls, options));
  const words = wordsOf(options.search);
  const shown = words.length === 0 ? groups : groups.map((group) => findRows(group, words));
  const all = groups.reduce((count, { rows }) => count + rows.length, 0);
  const left = shown.reduce((count, { rows }) => count + rows.length, 0);
  const rows = shown.flatMap(({ head, rows: own }) => (own.length === 0 ? [] : [head, ...own]));
  const until = groups.flatMap((group) => group.rows).reduce((end, { span }) => Math.max(end, span.end), 0);
  return { rows, until, hidden: all - left };
}

function wordsOf(search: string): readonly string[] {
  const words = search.toLowerCase().match(/"[^"]*"?|[^\s"]+/g) ?? [];
  return words.map((word) => word.replaceAll('"', "").trim()).filter(Boolean);
}

/** Returns the search text that finds a test by its title. */
export function composeSearch({ name, file }: RunTest): string {
  const title = name.at(-1) ?? file;
  return title.includes('"') ? title : `"${title}"`;
}

/** Returns the time span of the calls of the test whose row is at `index`, plus 5% on each side. */
export function findSpanOfTest(
  { rows }: Timeline,
  index: number,
): { readonly from: number; readonly to: number } {
  const after = rows.slice(index + 1);
  const next = after.findIndex(({ kind }) => kind === "test");
  const spans = after
    .slice(0, next < 0 ? undefined : next)
    .flatMap((row) => (row.kind === "call" ? [row.span] : []));
  const from = spans.reduce(
    (least, { start, pause = 0 }) => Math.min(least, start - pause),
    Number.POSITIVE_INFINITY,
  );
  const to = spans.reduce((most, { end }) => Math.max(most, end), 0);
  const room = (to - from) * 0.05;
  return { from: from - room, to: to + room };
}

interface Group {
  readonly head: TestRow;
  readonly rows: readonly TimelineCallRow[];
}

function findRows({ head, rows }: Group, words: readonly string[]): Group {
  const ofTest = `${head.title} ${head.file}`.toLowerCase();
  return {
    head,
    rows: rows.filter((row) => words.every((word) => `${ofTest} ${searchText(row)}`.includes(word))),
  };
}

function searchText({ call }: TimelineCallRow): string {
  const { label, answered = "", provider, operation, model = "", outcome, note = "", entry = "" } = call;
  return `${label} ${answered} ${provider} ${operation} ${model} ${outcome} ${note} ${entry}`.toLowerCase();
}

function groupByTest(calls: readonly RunCall[], { time }: TimelineOptions): readonly Group[] {
  const spans = computeSpans(calls, time);
  const placed = calls.map((call, index) => ({ call, index, span: spans[index] }));
  return groupBy(placed, ({ call }) => getTestId(call.test)).map((group) => {
    const test = group[0]?.call.test;
    const rows = group.flatMap(({ call, index, span }, at): readonly TimelineCallRow[] =>
      span === undefined
        ? []
        : [{ kind: "call", id: `call ${index}`, number: at + 1, call, span, continues: [] }],
    );
    return { head: headOf(getTestId(test), test, rows.length), rows };
  });
}

/** Links calls to the calls that they continue, which can be in another test. */
function linkRows(groups: readonly Group[]): readonly Group[] {
  const named = new Map<string, TimelineCallRow>();
  const link = (row: TimelineCallRow): TimelineCallRow => {
    const continues = (row.call.continues ?? []).flatMap((name) => named.get(name) ?? []);
    if (row.call.entry !== undefined) named.set(getChainName(row.call.entry), row);
    return continues.length === 0 ? row : { ...row, continues };
  };
  return groups.map(({ head, rows }) => ({ head, rows: rows.map(link) }));
}

function headOf(id: string, test: RunTest | undefined, calls: number): TestRow {
  const title = test === undefined ? localize("No known test") : test.name.join(" › ") || test.file;
  const file = test === undefined || test.name.length === 0 ? "" : test.file;
  return { kind: "test", id: `test ${id}`, title, file, calls };
}
